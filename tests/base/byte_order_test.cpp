// Reversal of octets.
#include <perigee/base/byte_order.h>

#include <doctest/doctest.h>

using perigee::reverse_octets;

TEST_CASE("integers of each size are reversed octet by octet") {
  CHECK(reverse_octets(std::uint8_t{0x12}) == 0x12);
  CHECK(reverse_octets(std::uint16_t{0x1234}) == 0x3412);
  CHECK(reverse_octets(std::uint32_t{0x12345678}) == 0x78563412u);
  CHECK(reverse_octets(std::uint64_t{0x0123456789abcdef}) == 0xefcdab8967452301u);
  CHECK(reverse_octets(std::int16_t{-2}) == std::int16_t(0xfeff - 0x10000));
}

TEST_CASE("reversing twice gives the value back, floating point included") {
  CHECK(reverse_octets(reverse_octets(1.5f)) == 1.5f);
  CHECK(reverse_octets(reverse_octets(-2.25)) == -2.25);
  CHECK(reverse_octets(1.0f) != 1.0f);
}
