// Random values of random IDL types: an encoded value decodes to the same value, from every start
// phase, in both byte orders and in the forms of every GIOP version. Truncated or damaged octets
// give an error or another value, and take no more memory than their number justifies.
#include "any_types.h"
#include "support/allocations.h"
#include <perigee/cdr/buffer.h>
#include <perigee/orb/stub.h>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace perigee;
using perigee::test::Features;
using perigee::test::RandomValues;

constexpr int values_per_type = 60;

/// How one value is encoded.
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

/// The kinds of values that GIOP 1.`minor` can carry. Wide characters: interop facts 28 and 29 of
/// docs/interop.md.
Features features_of(std::uint8_t giop_minor) {
  const Features always = Features::long_double | Features::odd_fixed;
  if (giop_minor == 0) return always;
  return always | Features::wide | (giop_minor == 1 ? Features::none : Features::surrogate_pair);
}

template <typename T>
void check_every_way(const T& value, std::uint8_t giop_minor) {
  for (const std::endian order : {std::endian::little, std::endian::big})
    for (std::size_t start = 0; start < 8; ++start) {
      const Way way{order, start, giop_minor};
      CAPTURE(start);
      T decoded{};
      CHECK(decode(encode(value, way), way, decoded));
      CHECK((decoded == value));
    }
}

/// Sends the value inside an any. A receiver that knows only the TypeCode sends the any on in the
/// other byte order.
template <typename T>
void check_inside_any(const T& value, std::uint8_t giop_minor, std::size_t start) {
  CORBA::Any any;
  any <<= value;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const Way way{order, start, giop_minor};
    CORBA::Any arrived;
    REQUIRE(decode(encode(any, way), way, arrived));
    CHECK((arrived == any));
    const Way back{order == std::endian::little ? std::endian::big : std::endian::little, 7 - start,
                   giop_minor};
    CORBA::Any returned;
    REQUIRE(decode(encode(arrived, back), back, returned));
    T extracted{};
    CHECK((returned >>= extracted));
    CHECK((extracted == value));
  }
}

template <typename T>
bool decode_within_bounds(OctetSpan octets, const Way& way, test::Memory memory) {
  bool is_whole = false;
  const auto allocated = test::allocations_of([&] {
    T value{};
    is_whole = decode(octets, way, value);
  });
  CHECK(allocated.octets <= memory.per_octet * octets.size() + memory.besides);
  return is_whole;
}

/// Truncates the value at every octet, or at about 512 places of a large value.
template <typename T>
void check_truncated(const T& value, std::uint8_t giop_minor, test::Memory memory) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const Way way{order, 0, giop_minor};
    const Octets octets = encode(value, way);
    for (std::size_t size = 0; size < octets.size(); size += 1 + octets.size() / 512) {
      CAPTURE(size);
      CHECK_FALSE(decode_within_bounds<T>(OctetSpan(octets).first(size), way, memory));
    }
  }
}

template <typename T>
void check_damaged(const T& value, RandomValues& random, std::uint8_t giop_minor,
                   test::Memory memory) {
  const Way way{.giop_minor = giop_minor};
  Octets octets = encode(value, way);
  if (octets.empty()) return;
  for (int round = 0; round < 20; ++round) {
    octets[random.below(octets.size())] = static_cast<std::byte>(random.below(256));
    decode_within_bounds<T>(octets, way, memory);
  }
}

template <typename T>
void check_type(const std::string& name, Features features, test::Memory memory) {
  CAPTURE(name);
  const std::uint64_t seed = perigee::test::seed_of_run();
  for (int round = 0; round < values_per_type; ++round) {
    const std::uint64_t own_seed = seed + static_cast<std::uint64_t>(round);
    CAPTURE(own_seed);
    const auto giop_minor = static_cast<std::uint8_t>(2 - round % 3);
    CAPTURE(giop_minor);
    const Features carried = features_of(giop_minor);
    if (!test::has(carried, features)) continue;
    RandomValues random(own_seed, carried, test::property_types());
    T value{};
    random.fill(value);
    check_every_way(value, giop_minor);
    check_inside_any(value, giop_minor, random.below(8));
    if (round < 6) check_truncated(value, giop_minor, memory);
    check_damaged(value, random, giop_minor, memory);
  }
}

}  // namespace

TEST_CASE("random values survive every way of transfer, and truncation or damage does no harm") {
  MESSAGE("PERIGEE_TEST_SEED=" << perigee::test::seed_of_run() << ", types of seed "
                               << PERIGEE_PROPERTY_SEED);
#define PERIGEE_CHECK_TYPE(Type, type_code, operation, features, memory) \
  check_type<Type>(#Type, features, memory);
  PROPERTIES_FOR_EACH(PERIGEE_CHECK_TYPE)
#undef PERIGEE_CHECK_TYPE
}
