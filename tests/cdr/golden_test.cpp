// The octets of each type in both byte orders. CORBA 3.0, 15.3.1 and 15.3.2.
#include "support/octets.h"
#include <perigee/cdr/operators.h>

#include <doctest/doctest.h>

using namespace perigee;
using perigee::test::octets;

namespace {

template <typename T>
Octets encoded(const T& value, std::endian order) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order);
  encoder << value;
  CHECK(encoder.ok());
  return buffer.flatten();
}

/// `value` is written as `wire`, and `wire` is read as `value` to its last octet.
template <typename T>
void check_octets(const T& value, std::endian order, const Octets& wire) {
  CHECK(encoded(value, order) == wire);
  cdr::Decoder decoder(wire, order);
  T decoded{};
  decoder >> decoded;
  CHECK(decoder.ok());
  CHECK(decoder.remaining() == 0);
  CHECK(decoded == value);
}

/// `big` has the octets of a number in big-endian order. In little-endian order they are reversed.
template <typename T>
void check_number(T value, const Octets& big) {
  check_octets(value, std::endian::big, big);
  check_octets(value, std::endian::little, Octets(big.rbegin(), big.rend()));
}

}  // namespace

TEST_CASE("an octet, a char and a boolean are one octet") {
  check_number(std::uint8_t{0xfe}, octets(0xfe));
  check_number('A', octets(0x41));
  check_number(true, octets(1));
  check_number(false, octets(0));
}

TEST_CASE("integers are two's complement of their own size") {
  check_number(std::int16_t{-2}, octets(0xff, 0xfe));
  check_number(std::uint16_t{0x1234}, octets(0x12, 0x34));
  check_number(std::int32_t{-2}, octets(0xff, 0xff, 0xff, 0xfe));
  check_number(std::uint32_t{0x12345678}, octets(0x12, 0x34, 0x56, 0x78));
  check_number(std::int64_t{-2}, octets(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe));
  check_number(std::uint64_t{0x0123456789abcdef},
               octets(0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef));
}

// IEEE 754: sign, exponent, fraction.
TEST_CASE("floating-point numbers are IEEE 754, and a long double has 16 octets") {
  check_number(-1.5F, octets(0xbf, 0xc0, 0, 0));
  check_number(1.0, octets(0x3f, 0xf0, 0, 0, 0, 0, 0, 0));
  check_number(-2.5L, octets(0xc0, 0x00, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_CASE("a string is its length with the NUL, its characters, and the NUL") {
  check_octets(std::string("hi"), std::endian::big, octets(0, 0, 0, 3, 'h', 'i', 0));
  check_octets(std::string("hi"), std::endian::little, octets(3, 0, 0, 0, 'h', 'i', 0));
  check_octets(std::string(), std::endian::big, octets(0, 0, 0, 1, 0));
}

TEST_CASE("a sequence is its length, the padding that its elements need, and its elements") {
  check_octets(std::vector<std::uint8_t>{7, 8}, std::endian::little, octets(2, 0, 0, 0, 7, 8));
  check_octets(std::vector<std::int16_t>{1, -1}, std::endian::big,
               octets(0, 0, 0, 2, 0, 1, 0xff, 0xff));
  check_octets(std::vector<std::int16_t>{1, -1}, std::endian::little,
               octets(2, 0, 0, 0, 1, 0, 0xff, 0xff));
  check_octets(std::vector<double>{1.0}, std::endian::big,
               octets(0, 0, 0, 1,                                             // length
                      0, 0, 0, 0,                                             // padding
                      0x3f, 0xf0, 0, 0, 0, 0, 0, 0));                         // element
  check_octets(std::vector<double>{}, std::endian::big, octets(0, 0, 0, 0));  // and no padding
}

TEST_CASE("a sequence of long double is padded to 8, not to 16") {
  check_octets(std::vector<long double>{1.0L}, std::endian::big,
               octets(0, 0, 0, 1,  // length
                      0, 0, 0, 0,  // padding
                      0x3f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_CASE("sequences of booleans, strings and sequences are written element by element") {
  check_octets(std::vector<bool>{true, false, true}, std::endian::little,
               octets(3, 0, 0, 0, 1, 0, 1));
  check_octets(std::vector<std::string>{"a", "b"}, std::endian::little,
               octets(2, 0, 0, 0,            // length
                      2, 0, 0, 0, 'a', 0,    // first
                      0, 0,                  // padding
                      2, 0, 0, 0, 'b', 0));  // second
  check_octets(std::vector<std::vector<std::uint8_t>>{{5}, {}}, std::endian::big,
               octets(0, 0, 0, 2,     // length
                      0, 0, 0, 1, 5,  // first
                      0, 0, 0,        // padding
                      0, 0, 0, 0));   // second
}

TEST_CASE("padding before a number is zero, whatever the buffer held before") {
  cdr::Buffer buffer;
  std::memset(buffer.extend(64), 0xff, 64);
  buffer.clear();
  cdr::Encoder encoder(buffer, std::endian::big);
  encoder << std::uint8_t{1} << std::uint16_t{2} << std::uint8_t{3} << std::uint32_t{4}
          << std::uint8_t{5} << std::uint64_t{6} << std::uint8_t{7};
  encoder.align(4);
  encoder << 8.0L;
  CHECK(buffer.flatten() == octets(1, 0, 0, 2,                    // octet, padding, unsigned short
                                   3, 0, 0, 0, 0, 0, 0, 4,        // octet, padding, unsigned long
                                   5, 0, 0, 0,                    // octet, padding to 16
                                   0, 0, 0, 0, 0, 0, 0, 6,        // unsigned long long
                                   7, 0, 0, 0, 0, 0, 0, 0,        // octet, padding to 32
                                   0x40, 0x02, 0, 0, 0, 0, 0, 0,  // 8.0
                                   0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_CASE("an enumerator is its ordinal as an unsigned long") {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, std::endian::big);
  encoder.write_enum(2);
  CHECK(buffer.flatten() == octets(0, 0, 0, 2));
  CHECK(cdr::Decoder(buffer.own_octets(), std::endian::big).read_enum(3) == 2);
}

TEST_CASE("alignment counts from the start of the message, not of the encoder") {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, std::endian::big, cdr::Encoder::Borrowing::no, 6);
  encoder << std::uint32_t{1};
  CHECK(encoder.position() == 12);
  CHECK(buffer.flatten() == octets(0, 0,          // padding of positions 6 and 7
                                   0, 0, 0, 1));  // position 8
}
