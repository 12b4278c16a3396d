// For random IDL types and values: what was encoded decodes to the same value, from every start
// phase, in both byte orders and in the forms of every GIOP version; what is cut off or damaged is
// an error or another value, and takes no more memory than its octets justify.
#include "propertiesC.h"
#include "properties_types.h"
#include "random_value.h"
#include "support/allocations.h"
#include <perigee/cdr/buffer.h>
#include <perigee/orb/stub.h>

#include <doctest/doctest.h>

namespace {

using namespace perigee;
using perigee::test::RandomValues;

constexpr int values_per_type = 12;

/// How one value travels.
struct Way {
  std::endian order = std::endian::native;
  std::size_t start = 0;
  std::uint8_t giop_minor = 2;
};

template <typename T>
Octets encode(const T& value, const Way& way) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, way.order, cdr::Encoder::Borrowing::no, way.start);
  encoder.set_code_sets({.giop_minor = way.giop_minor});
  encoder << value;
  REQUIRE(encoder.ok());
  Octets octets(way.start, std::byte{0xee});
  const Octets encoded = buffer.flatten();
  octets.insert(octets.end(), encoded.begin(), encoded.end());
  return octets;
}

template <typename T>
bool decode(OctetSpan octets, const Way& way, T& value) {
  cdr::Decoder decoder(octets, way.order, way.start);
  decoder.set_code_sets({.giop_minor = way.giop_minor});
  decoder >> value;
  return decoder.ok() && decoder.remaining() == 0;
}

template <typename T>
void check_every_way(const T& value) {
  for (const std::uint8_t giop_minor : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}})
    for (const std::endian order : {std::endian::little, std::endian::big})
      for (std::size_t start = 0; start < 8; ++start) {
        const Way way{order, start, giop_minor};
        CAPTURE(start);
        T decoded{};
        CHECK(decode(encode(value, way), way, decoded));
        CHECK((decoded == value));
      }
}

/// What decoding allocates for one octet, at most: an empty string or sequence of 4 octets is one
/// of 32 in memory, and a vector that grows allocates its storage anew.
constexpr std::size_t memory_per_octet_max = 64;

template <typename T>
bool decode_within_bounds(OctetSpan octets, const Way& way) {
  bool is_whole = false;
  const auto allocated = test::allocations_of([&] {
    T value{};
    is_whole = decode(octets, way, value);
  });
  CHECK(allocated.octets <= memory_per_octet_max * (octets.size() + 8));
  return is_whole;
}

template <typename T>
void check_truncated(const T& value) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const Way way{order};
    const Octets octets = encode(value, way);
    for (std::size_t size = 0; size < octets.size(); ++size) {
      CAPTURE(size);
      CHECK_FALSE(decode_within_bounds<T>(OctetSpan(octets).first(size), way));
    }
  }
}

template <typename T>
void check_damaged(const T& value, RandomValues& random) {
  const Way way;
  Octets octets = encode(value, way);
  if (octets.empty()) return;
  for (int round = 0; round < 20; ++round) {
    octets[random.below(octets.size())] = static_cast<std::byte>(random.below(256));
    decode_within_bounds<T>(octets, way);
  }
}

template <typename T>
void check_type(const char* name) {
  CAPTURE(name);
  const std::uint64_t seed = perigee::test::seed_of_run();
  for (int round = 0; round < values_per_type; ++round) {
    const std::uint64_t own_seed = seed + static_cast<std::uint64_t>(round);
    CAPTURE(own_seed);
    RandomValues random(own_seed);
    T value{};
    random.fill(value);
    check_every_way(value);
    if (round < 3) check_truncated(value);
    check_damaged(value, random);
  }
}

}  // namespace

TEST_CASE("random values of random types survive every way, and no cut or damage does harm") {
  MESSAGE("PERIGEE_TEST_SEED=" << perigee::test::seed_of_run() << ", types of seed "
                               << PERIGEE_PROPERTY_SEED);
#define PERIGEE_CHECK_TYPE(Type, operation) check_type<Type>(#Type);
  PROPERTIES_FOR_EACH(PERIGEE_CHECK_TYPE)
#undef PERIGEE_CHECK_TYPE
}
