// The text of `perigee ior` for each part of a reference.
#include "describe.h"
#include "support/octets.h"
#include "support/security_mechanisms.h"
#include <perigee/cdr/code_set_registry.h>
#include <perigee/iop/components.h>
#include <perigee/transport/local.h>
#include <perigee/transport/shared_memory.h>

using namespace perigee;
using perigee::tool::describe;
using perigee::tool::hex_dump;

namespace {

iop::IiopProfile example_profile() {
  return {.host = "example.org", .port = 2809, .object_key = test::octets('k', 'e', 'y', 0)};
}

std::string description_of(const iop::IiopProfile& profile) {
  return describe(iop::Ior{.type_id = "IDL:A:1.0", .profiles = {iop::encode_profile(profile)}});
}

std::string description_with(iop::TaggedComponent component) {
  iop::IiopProfile profile = example_profile();
  profile.components.push_back(std::move(component));
  return description_of(profile);
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a hex dump shows sixteen octets in each line with their printable characters") {
  const auto octets = test::octets('G', 'I', 'O', 'P', 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, '~');
  CHECK(hex_dump(octets, "> ") ==
        "> 0000  47 49 4f 50 00 01 02 03 04 05 06 07 08 09 0a 0b  |GIOP............|\n"
        "> 0010  7e                                               |~|\n");
  CHECK(hex_dump({}, "> ").empty());
}

TEST_CASE("the nil reference is described as such") {
  CHECK(describe(iop::Ior{}) == "the nil reference\n");
}

TEST_CASE("an IIOP profile is described with version, address and key") {
  const std::string text = description_of(example_profile());
  CHECK(contains(text, "type id: IDL:A:1.0\n"));
  CHECK(contains(text, "profile 1: IIOP (tag 0), "));
  CHECK(contains(text, "  version:    1.2\n  address:    example.org:2809\n"));
  CHECK(contains(text, "  object key: 4 octets\n    0000  6b 65 79 00 "));
  CHECK(contains(text, "  corbaloc:   corbaloc:iiop:1.2@example.org:2809/key%00\n"));
}

TEST_CASE("a host that no corbaloc can contain is described without a corbaloc") {
  iop::IiopProfile profile = example_profile();
  profile.host = "a b";
  CHECK(!contains(description_of(profile), "corbaloc"));
}

TEST_CASE("an IPv6 address stands in brackets") {
  iop::IiopProfile profile = example_profile();
  profile.host = "::1";
  CHECK(contains(description_of(profile), "address:    [::1]:2809\n"));
}

TEST_CASE("known components are described by their contents") {
  CHECK(contains(description_with(iop::encode_orb_type(0x41545400)),
                 "component:  ORB_TYPE (tag 0), omniORB (0x41545400)\n"));
  CHECK(contains(description_with(iop::encode_orb_type(0x50474500)), "Perigee (0x50474500)\n"));
  CHECK(contains(description_with(iop::encode_alternate_address({.host = "b.org", .port = 1})),
                 "component:  ALTERNATE_IIOP_ADDRESS (tag 3), b.org:1\n"));
  CHECK(contains(description_with(iop::encode_ssl_address({.supports = 6, .needs = 2, .port = 7})),
                 "component:  SSL_SEC_TRANS (tag 20), TLS at port 7; provides integrity, "
                 "confidentiality; requires integrity\n"));
  CHECK(contains(description_with(test::mechanism_of_tls()),
                 "component:  CSI_SEC_MECH_LIST (tag 33), TLS at vm:2812; provides integrity, "
                 "confidentiality, trust in the server, trust in the client; requires integrity, "
                 "confidentiality, trust in the server\n"));
  const iop::CodeSetInfo info{.for_char = {.native = 0x00010001, .conversions = {0x05010001}},
                              .for_wchar = {}};
  CHECK(contains(description_with(iop::encode_code_sets(info)),
                 "CODE_SETS (tag 1), char ISO-8859-1 (0x00010001), converts UTF-8 (0x05010001); "
                 "wchar none\n"));
}

TEST_CASE("each code set that the ORB can announce has a name") {
  const iop::CodeSetInfo info{
      .for_char = {.native = cdr::registry_number(*cdr::parse_char_set("ISO-8859-15")),
                   .conversions = {cdr::registry_number(cdr::CharSet::us_ascii), 0x00010012}},
      .for_wchar = {.native = cdr::registry_number(cdr::WideSet::ucs_4),
                    .conversions = {cdr::registry_number(cdr::WideSet::utf_16), 0x00010101}}};
  CHECK(contains(description_with(iop::encode_code_sets(info)),
                 "char ISO-8859-15 (0x0001000f), converts US-ASCII (0x00010020), unknown "
                 "(0x00010012); wchar UCS-4 (0x00010106), converts UTF-16 (0x00010109), UCS-2 "
                 "(0x00010101)\n"));
}

TEST_CASE("a UNIX-domain address is described with its host, as Perigee and omniORB write it") {
  const iop::ProfileBody body{1, 2, "vm", "/run/s", test::octets('k'), {}};
  const iop::Ior own{.type_id = "", .profiles = {transport::make_local_codec()->encode(body)}};
  CHECK(contains(describe(own), "profile 1: Perigee UIOP (tag 1346848001), "));
  CHECK(contains(describe(own), "  version:    1.2\n  address:    /run/s on vm\n"));
  CHECK(contains(describe(own), "  corbaloc:   corbaloc:uiop:1.2@/run/s|k\n"));
  CHECK(contains(description_with(iop::encode_omniorb_unix_address({"vm", "/run/s"})),
                 "component:  omniORB UNIX_TRANS (tag 1096045570), /run/s on vm\n"));
}

TEST_CASE("an address of shared memory is described like a UNIX-domain address") {
  const iop::ProfileBody body{1, 2, "vm", "/run/s", test::octets('k'), {}};
  const iop::Ior own{.type_id = "",
                     .profiles = {transport::make_shared_memory_codec()->encode(body)}};
  CHECK(contains(describe(own), "profile 1: Perigee SHMIOP (tag 1346848003), "));
  CHECK(contains(describe(own), "  version:    1.2\n  address:    /run/s on vm\n"));
  CHECK(contains(describe(own), "  corbaloc:   corbaloc:shmiop:1.2@/run/s|k\n"));
}

TEST_CASE("a path that no corbaloc can contain is described without a corbaloc") {
  const iop::ProfileBody body{1, 2, "vm", "/a|b", test::octets('k'), {}};
  const iop::Ior own{.type_id = "", .profiles = {transport::make_local_codec()->encode(body)}};
  CHECK(contains(describe(own), "address:    /a|b on vm\n"));
  CHECK(!contains(describe(own), "corbaloc"));
}

TEST_CASE("an unknown or invalid component is dumped") {
  CHECK(contains(description_with({.tag = 77, .data = test::octets(0xab)}),
                 "component:  unknown (tag 77), 1 octet\n    0000  ab "));
  CHECK(contains(description_with({.tag = iop::tag_orb_type, .data = test::octets(1, 2)}),
                 "component:  ORB_TYPE (tag 0), 2 octets\n    0000  01 02 "));
}

TEST_CASE("a foreign or invalid profile is dumped") {
  const iop::Ior foreign{.type_id = "", .profiles = {{.tag = 0x54414f00, .data = test::octets(1)}}};
  CHECK(contains(describe(foreign), "type id: (empty)\nprofile 1: TAO UIOP (tag 1413566208), "));
  const iop::Ior broken{.type_id = "", .profiles = {{.tag = 0, .data = test::octets(0, 1)}}};
  CHECK(contains(describe(broken), "cannot be decoded: "));
  CHECK(contains(describe(broken), "0000  00 01 "));
}

TEST_CASE("a corbaloc is described with all its addresses and its key") {
  const auto reference = iop::parse_corbaloc("corbaloc::a.org:1,iiop:1.2@b.org:2/Name%20Service");
  REQUIRE(reference.has_value());
  const std::string text = describe(*reference);
  CHECK(contains(text, "address: iiop 1.0 at a.org:1\naddress: iiop 1.2 at b.org:2\n"));
  CHECK(contains(text, "|Name Service|"));
}
