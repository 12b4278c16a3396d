// Random values of all types of omniORB's IDL files. A decoded value is encoded to the same octets
// again, so the test can also compare references and TypeCodes.
#include "foreign_types.h"
#include "random_value.h"
#include <perigee/cdr/buffer.h>
#include <perigee/orb/stub.h>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace perigee;

template <typename T>
Octets encode(const T& value, std::endian order, std::size_t start) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order, cdr::Encoder::Borrowing::no, start);
  encoder << value;
  CHECK(encoder.ok());
  Octets octets(start);
  const Octets encoded = buffer.flatten();
  octets.insert(octets.end(), encoded.begin(), encoded.end());
  return octets;
}

template <typename T>
void check_round_trip(const T& value, std::endian order, std::size_t start) {
  const Octets octets = encode(value, order, start);
  cdr::Decoder decoder(octets, order, start);
  T decoded{};
  decoder >> decoded;
  CHECK(decoder.ok());
  CHECK(decoder.remaining() == 0);
  CHECK(encode(decoded, order, start) == octets);
}

template <typename T>
void check_type(const std::string& name) {
  CAPTURE(name);
  for (std::uint64_t round = 0; round < 8; ++round) {
    const std::uint64_t own_seed = test::seed_of_run() + round;
    CAPTURE(own_seed);
    test::RandomValues random(own_seed, test::Features::wide);
    T value{};
    random.fill(value);
    for (const std::endian order : {std::endian::little, std::endian::big})
      check_round_trip(value, order, round);
  }
}

}  // namespace

TEST_CASE("values of all types of omniORB's IDL files survive the round trip") {
#define PERIGEE_CHECK_TYPE(Type) check_type<Type>(#Type);
  FOREIGN_TYPES_FOR_EACH(PERIGEE_CHECK_TYPE)
#undef PERIGEE_CHECK_TYPE
}
