// The service context BI_DIR_IIOP.
#include "support/octets.h"
#include <perigee/iop/listen_points.h>

#include <doctest/doctest.h>

#include <bit>
#include <vector>

using namespace perigee;
using perigee::test::octets;

namespace {

const std::vector<iop::ListenPoint> two_points{{"::1", 2809}, {"h", 1}};

}  // namespace

// CORBA 3.0, 15.8.
TEST_CASE("the BI_DIR_IIOP service context is a sequence of hosts and ports") {
  const auto little = octets(1,                             // little-endian
                             0, 0, 0,                       // padding
                             2, 0, 0, 0,                    // two listen points
                             4, 0, 0, 0, ':', ':', '1', 0,  // host
                             0xf9, 0x0a,                    // port
                             0, 0,                          // padding
                             2, 0, 0, 0, 'h', 0,            // host
                             1, 0);                         // port
  const auto big = octets(0,                                // big-endian
                          0, 0, 0,                          // padding
                          0, 0, 0, 2,                       // two listen points
                          0, 0, 0, 4, ':', ':', '1', 0,     // host
                          0x0a, 0xf9,                       // port
                          0, 0,                             // padding
                          0, 0, 0, 2, 'h', 0,               // host
                          0, 1);                            // port
  CHECK(iop::decode_listen_points(little, 2) == two_points);
  CHECK(iop::decode_listen_points(big, 2) == two_points);
  CHECK(iop::encode_listen_points(two_points) ==
        (std::endian::native == std::endian::little ? little : big));
}

TEST_CASE("listen points that are cut at any octet are refused") {
  const Octets data = iop::encode_listen_points(two_points);
  for (std::size_t size = 0; size < data.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(iop::decode_listen_points(OctetSpan(data).first(size), 2).has_value());
  }
}

TEST_CASE("more listen points than allowed, and impossible hosts, are too large") {
  const auto many = iop::decode_listen_points(iop::encode_listen_points(two_points), 1);
  REQUIRE_FALSE(many.has_value());
  CHECK(many.error().kind == cdr::ErrorKind::too_large);
  const std::vector<iop::ListenPoint> long_host{{std::string(256, 'h'), 1}};
  const auto decoded = iop::decode_listen_points(iop::encode_listen_points(long_host), 1);
  REQUIRE_FALSE(decoded.has_value());
  CHECK(decoded.error().kind == cdr::ErrorKind::too_large);
}

TEST_CASE("a count of listen points beyond the octets available allocates no memory") {
  const auto data = octets(1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff);
  CHECK_FALSE(iop::decode_listen_points(data, 0xffffffff).has_value());
}
