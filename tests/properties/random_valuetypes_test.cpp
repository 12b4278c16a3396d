// Values of random valuetypes: what a receiver has decoded is encoded to the same octets, in both
// byte orders and from every start phase. Truncated or damaged octets do no harm.
#include "make_random_values.h"
#include "support/value_environment.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <string>

namespace perigee::test {

namespace {

constexpr int rounds = 200;

class KnownTypes final : public ValueEnvironment {
 public:
  KnownTypes() {
    add_factories([this](std::string_view id, const CORBA::ValueFactory& factory) {
      factories().add(std::string(id), factory);
    });
  }
};

/// Calls `check(random, values)` for each round, with a seed of its own.
template <typename Check>
void in_rounds(Check check) {
  const std::uint64_t seed = seed_of_run();
  MESSAGE("PERIGEE_TEST_SEED=" << seed << ", types of seed " << PERIGEE_PROPERTY_SEED);
  for (int round = 0; round != rounds; ++round) {
    const std::uint64_t own_seed = seed + static_cast<std::uint64_t>(round);
    CAPTURE(own_seed);
    RandomValues random(own_seed);
    ValuePool pool(random);
    for (std::size_t count = 1 + random.below(12); count != 0; --count)
      pool.add(make_value(pool, random.below(valuetype_count)));
    check(random, pool.values());
  }
}

}  // namespace

TEST_CASE("decoded values of random valuetypes are encoded to the same octets") {
  KnownTypes known;
  in_rounds([&](RandomValues& random, const Rolled::All& values) {
    for (const std::endian order : {std::endian::little, std::endian::big}) {
      const std::size_t start = random.below(8);
      CAPTURE(start);
      const Octets octets = encode_values(order, start, values);
      Rolled::All received;
      REQUIRE(decode_values(known, octets, order, start, received) == cdr::ErrorKind::none);
      CHECK(encode_values(order, start, received) == octets);
    }
  });
}

TEST_CASE("a copy of a value of a random valuetype has the same octets") {
  in_rounds([&](RandomValues& /*random*/, const Rolled::All& values) {
    for (const AnyValue& value : values)
      CHECK(encode_values(std::endian::native, 0, value->_copy_value()) ==
            encode_values(std::endian::native, 0, value));
  });
}

TEST_CASE("truncated and damaged values of random valuetypes do no harm") {
  KnownTypes known;
  known.refuse_cycles();  // damage may form cycles, which nothing would break
  in_rounds([&](RandomValues& random, const Rolled::All& values) {
    Octets octets = encode_values(std::endian::native, 0, values);
    for (std::size_t size = 0; size < octets.size(); size += 1 + octets.size() / 32) {
      const Octets part(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size));
      Rolled::All received;
      CHECK(decode_values(known, part, std::endian::native, 0, received) != cdr::ErrorKind::none);
    }
    for (int damage = 0; damage != 10; ++damage) {
      octets[random.below(octets.size())] = static_cast<std::byte>(random.below(256));
      Rolled::All received;
      (void)decode_values(known, octets, std::endian::native, 0, received);
    }
  });
}

}  // namespace perigee::test
