// Encoding and decoding of values, for the tests of generated types.
#pragma once

#include <perigee/cdr/buffer.h>
#include <perigee/cdr/operators.h>
#include <perigee/orb/stub.h>

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>

namespace perigee::test {

/// The encoded value at octet `start` of a message, with the octets before it.
template <typename T>
Octets encode(const T& value, std::endian order, std::size_t start = 0) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order);
  for (std::size_t count = 0; count < start; ++count) encoder << std::uint8_t{0xee};
  encoder << value;
  REQUIRE(encoder.ok());
  return buffer.flatten();
}

/// Checks that a value with any number of missing octets at its end is an error.
template <typename T>
void check_truncations(const Octets& octets, std::endian order) {
  for (std::size_t size = 0; size < octets.size(); ++size) {
    CAPTURE(size);
    cdr::Decoder decoder(OctetSpan(octets).first(size), order);
    T value{};
    decoder >> value;
    CHECK_FALSE(decoder.ok());
  }
}

/// decode(encode(x)) == x, in both byte orders, from every start position.
template <typename T>
void check_round_trip(const T& value) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (std::size_t start = 0; start < 8; ++start) {
      CAPTURE(start);
      const Octets octets = encode(value, order, start);
      cdr::Decoder decoder(octets, order, start);
      T decoded{};
      decoder >> decoded;
      CHECK(decoder.ok());
      CHECK(decoder.remaining() == 0);
      CHECK((decoded == value));
    }
    check_truncations<T>(encode(value, order), order);
  }
}

}  // namespace perigee::test
