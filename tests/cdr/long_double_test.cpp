// long double on the wire is IEEE binary128, whatever the format of the machine. Interop fact 35.
#include "support/octets.h"
#include <perigee/cdr/long_double.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

using namespace perigee;
using perigee::test::from_hex;

namespace {

using Limits = std::numeric_limits<long double>;

constexpr bool is_x87 = LDBL_MANT_DIG == 64;

Octets big_endian(cdr::QuadOctets quad) {
  if constexpr (std::endian::native == std::endian::little) std::ranges::reverse(quad);
  return {quad.begin(), quad.end()};
}

long double from_big_endian(std::string_view hex) {
  const Octets octets = from_hex(hex);
  REQUIRE(octets.size() == 16);
  cdr::QuadOctets quad;
  std::ranges::copy(octets, quad.begin());
  if constexpr (std::endian::native == std::endian::little) std::ranges::reverse(quad);
  return cdr::from_quad(quad);
}

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

TEST_CASE("a NaN stays a NaN, in both directions") {
  CHECK(std::isnan(from_big_endian("7fff 8000 0000 0000 0000 0000 0000 0000")));
  CHECK(std::isnan(from_big_endian("7fff 0000 0000 0000 0000 0000 0000 0001")));
  CHECK(std::isnan(cdr::from_quad(cdr::to_quad(Limits::quiet_NaN()))));
}
