// long double on the wire is IEEE binary128, whatever the format of the machine. Interop fact 35 of
// docs/interop.md.
#include "cdr/quad_of_double.h"
#include "support/octets.h"
#include <perigee/cdr/long_double.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

using namespace perigee;
using perigee::test::from_hex;

namespace {

using Limits = std::numeric_limits<long double>;

constexpr bool is_x87 = LDBL_MANT_DIG == 64;

Octets big_endian(cdr::QuadOctets quad) {
  if constexpr (std::endian::native == std::endian::little) std::ranges::reverse(quad);
  return {quad.begin(), quad.end()};
}

cdr::QuadOctets quad_from(std::string_view hex) {
  const Octets octets = from_hex(hex);
  REQUIRE(octets.size() == 16);
  cdr::QuadOctets quad{};
  std::ranges::copy(octets, quad.begin());
  if constexpr (std::endian::native == std::endian::little) std::ranges::reverse(quad);
  return quad;
}

long double from_big_endian(std::string_view hex) { return cdr::from_quad(quad_from(hex)); }
double double_from(std::string_view hex) { return cdr::double_of_quad(quad_from(hex)); }

/// Checks that `value` is converted to the binary128 number with these digits, and back.
void check_quad(long double value, std::string_view hex) {
  CHECK(big_endian(cdr::to_quad(value)) == from_hex(hex));
  const long double back = from_big_endian(hex);
  CHECK(back == value);
  CHECK(std::signbit(back) == std::signbit(value));
}

}  // namespace

TEST_CASE("numbers, zeros and infinities have sign, exponent and fraction of binary128") {
  check_quad(1.0L, "3fff 0000 0000 0000 0000 0000 0000 0000");
  check_quad(-2.5L, "c000 4000 0000 0000 0000 0000 0000 0000");
  check_quad(0.0L, "0000 0000 0000 0000 0000 0000 0000 0000");
  check_quad(-0.0L, "8000 0000 0000 0000 0000 0000 0000 0000");
  check_quad(Limits::infinity(), "7fff 0000 0000 0000 0000 0000 0000 0000");
  check_quad(-Limits::infinity(), "ffff 0000 0000 0000 0000 0000 0000 0000");
}

TEST_CASE("all 64 digits of an x87 number are kept") {
  if constexpr (is_x87) {
    // The x87's pi is 4000 c90fdaa22168c235; its leading 1 is implicit in binary128.
    check_quad(3.14159265358979323846264338327950288L, "4000 921f b544 42d1 846a 0000 0000 0000");
    check_quad(1.0L + Limits::epsilon(), "3fff 0000 0000 0000 0002 0000 0000 0000");
    check_quad(Limits::max(), "7ffe ffff ffff ffff fffe 0000 0000 0000");
    check_quad(Limits::min(), "0001 0000 0000 0000 0000 0000 0000 0000");
    check_quad(Limits::denorm_min(), "0000 0000 0000 0000 0002 0000 0000 0000");
  }
}

TEST_CASE("digits that an x87 number lacks are rounded to the nearest, ties to even") {
  if constexpr (is_x87) {
    const long double step = Limits::epsilon();
    CHECK(from_big_endian("3fff 0000 0000 0000 0000 0000 0000 0001") == 1.0L);
    CHECK(from_big_endian("3fff 0000 0000 0000 0001 0000 0000 0000") == 1.0L);
    CHECK(from_big_endian("3fff 0000 0000 0000 0001 0000 0000 0001") == 1.0L + step);
    CHECK(from_big_endian("3fff 0000 0000 0000 0003 0000 0000 0000") == 1.0L + 2 * step);
    CHECK(std::isinf(from_big_endian("7ffe ffff ffff ffff ffff ffff ffff ffff")));
  }
}

// Machines whose long double is a double use these conversions. They are tested on all machines.
TEST_CASE("a double becomes the same number of binary128") {
  const auto quad = [](double value) { return big_endian(cdr::quad_of_double(value)); };
  using Double = std::numeric_limits<double>;
  CHECK(quad(1.0) == from_hex("3fff 0000 0000 0000 0000 0000 0000 0000"));
  CHECK(quad(-0.0) == from_hex("8000 0000 0000 0000 0000 0000 0000 0000"));
  CHECK(quad(3.141592653589793) == from_hex("4000 921f b544 42d1 8000 0000 0000 0000"));
  CHECK(quad(-Double::infinity()) == from_hex("ffff 0000 0000 0000 0000 0000 0000 0000"));
  CHECK(quad(Double::max()) == from_hex("43fe ffff ffff ffff f000 0000 0000 0000"));
  CHECK(quad(Double::min()) == from_hex("3c01 0000 0000 0000 0000 0000 0000 0000"));
  CHECK(quad(Double::min() - Double::denorm_min()) ==
        from_hex("3c00 ffff ffff ffff e000 0000 0000 0000"));
  CHECK(quad(-Double::denorm_min()) == from_hex("bbcd 0000 0000 0000 0000 0000 0000 0000"));
}

TEST_CASE("digits that a double lacks are rounded to the nearest, ties to even") {
  const double step = std::numeric_limits<double>::epsilon();
  CHECK(double_from("3fff 0000 0000 0000 0800 0000 0000 0000") == 1.0);
  CHECK(double_from("3fff 0000 0000 0000 0800 0000 0000 0001") == 1.0 + step);
  CHECK(double_from("bfff 0000 0000 0000 1800 0000 0000 0000") == -1.0 - 2 * step);
  CHECK(double_from("3fff ffff ffff ffff ffff ffff ffff ffff") == 2.0);
  CHECK(double_from("43fe ffff ffff ffff f7ff ffff ffff ffff") ==
        std::numeric_limits<double>::max());
  CHECK(std::isinf(double_from("43fe ffff ffff ffff f800 0000 0000 0000")));
  CHECK(double_from("c3ff 0000 0000 0000 0000 0000 0000 0000") ==
        -std::numeric_limits<double>::infinity());
}

TEST_CASE("numbers below the smallest double are rounded, and keep their sign") {
  const double least = std::numeric_limits<double>::denorm_min();
  CHECK(double_from("3bcd 8000 0000 0000 0000 0000 0000 0000") == 2 * least);  // 1.5, a tie
  CHECK(double_from("3bcd 7fff ffff ffff ffff ffff ffff ffff") == least);
  CHECK(double_from("3bcc 0000 0000 0000 0000 0000 0000 0001") == least);
  CHECK(double_from("3bcc 0000 0000 0000 0000 0000 0000 0000") == 0);  // a half, a tie
  CHECK(std::signbit(double_from("bbcb ffff ffff ffff ffff ffff ffff ffff")));
  CHECK(double_from("0000 0000 0000 0000 0000 0000 0000 0001") == 0);
  CHECK(double_from("3c00 ffff ffff ffff f000 0000 0000 0000") ==
        std::numeric_limits<double>::min());
}

TEST_CASE("random doubles are the same after the conversion to binary128 and back") {
  std::mt19937_64 random;  // the same numbers in each run
  for (int round = 0; round < 10'000; ++round) {
    const std::uint64_t bits = random() >> (round % 3 == 0 ? 11 : 0);  // also subnormal numbers
    const auto value = std::bit_cast<double>(bits);
    CAPTURE(bits);
    if (!std::isfinite(value)) continue;
    CHECK(std::bit_cast<std::uint64_t>(cdr::double_of_quad(cdr::quad_of_double(value))) == bits);
    CHECK(cdr::from_quad(cdr::quad_of_double(value)) == value);
  }
}

TEST_CASE("a NaN stays a NaN, in both directions") {
  CHECK(std::isnan(double_from("7fff 8000 0000 0000 0000 0000 0000 0000")));
  CHECK(std::isnan(double_from("ffff 0000 0000 0000 0000 0000 0000 0001")));
  CHECK(std::isnan(
      cdr::double_of_quad(cdr::quad_of_double(std::numeric_limits<double>::quiet_NaN()))));
  CHECK(std::isnan(from_big_endian("7fff 8000 0000 0000 0000 0000 0000 0000")));
  CHECK(std::isnan(from_big_endian("7fff 0000 0000 0000 0000 0000 0000 0001")));
  CHECK(std::isnan(cdr::from_quad(cdr::to_quad(Limits::quiet_NaN()))));
}
