// The codec of IIOP profiles: it converts profiles to and from ProfileBody, in the same way
// for every profile tag.
#include "support/octets.h"
#include <perigee/iop/profile_codec.h>

#include <doctest/doctest.h>

#include <string>

using namespace perigee;
using perigee::test::octets;

namespace {

std::expected<iop::ProfileBody, cdr::Error> decode(const iop::IiopProfile& profile) {
  return iop::make_iiop_codec()->decode(iop::encode_profile(profile), {});
}

}  // namespace

TEST_CASE("an IIOP profile's address is its host and port, written like an endpoint") {
  struct Row {
    const char* host;
    std::uint16_t port;
    const char* address;
  };
  for (const auto& [host, port, address] :
       {Row{"a.example", 2809, "a.example:2809"}, Row{"::1", 7, "[::1]:7"}, Row{"vm", 0, "vm:0"}}) {
    const iop::IiopProfile profile{1, 1, host, port, octets('k'), {{0x1234, octets(1, 2)}}};
    const auto body = decode(profile);
    REQUIRE(body.has_value());
    CHECK(*body == iop::ProfileBody{1, 1, "", address, profile.object_key, profile.components});
    CHECK(iop::make_iiop_codec()->encode(*body) == iop::encode_profile(profile));
  }
}

TEST_CASE("an invalid IIOP profile is an error of the decoder") {
  const auto codec = iop::make_iiop_codec();
  CHECK(codec->tag() == iop::tag_internet_iop);
  CHECK_FALSE(codec->decode({iop::tag_internet_iop, octets(1, 1, 2)}, {}).has_value());
  const iop::IiopProfile two{1, 2, "h", 1, {}, {{1, {}}, {2, {}}}};
  CHECK(codec->decode(iop::encode_profile(two), {.components_max = 1}).error().kind ==
        cdr::ErrorKind::too_large);
}
