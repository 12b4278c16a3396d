// "IOR:" strings, some of them from omniORB.
#include "support/octets.h"
#include <perigee/iop/components.h>
#include <perigee/iop/ior.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace perigee;
using Reason = iop::ReferenceError::Reason;
using perigee::test::octets;

namespace {

/// Made by omniORB 4.2.5: genior IDL:acme.com/Stock/Quoter:1.0 192.0.2.7 12345
const std::string from_omniorb =
    "IOR:"
    "01000000"  // little-endian, padding
    "1e00000049444c3a61636d652e636f6d2f53746f636b2f51756f7465723a312e3000"  // type id
    "0000"                                                                  // padding
    "01000000"                                                              // one profile
    "00000000"
    "5c000000"  // TAG_INTERNET_IOP, its size
    "01"
    "0102"
    "00"  // little-endian, version 1.2, padding
    "0a0000003139322e302e322e3700"
    "3930"                              // host, port
    "0c0000006b01ff812f1633ca00000001"  // object key
    "02000000"                          // two components
    "00000000"
    "08000000"
    "0100000000545441"  // TAG_ORB_TYPE: omniORB
    "01000000"
    "1c000000"
    "01000000"  // TAG_CODE_SETS, little-endian
    "01000100"
    "01000000"
    "01000105"  // char: ISO-8859-1; UTF-8
    "09010100"
    "01000000"
    "09010100";  // wchar: UTF-16; UTF-16

/// The root context of omniNames 4.2.5. Its key is text, and its last component is omniORB's own.
const std::string from_omninames =
    "IOR:"
    "010000002b00000049444c3a6f6d672e6f72672f436f734e616d696e672f4e616d696e67436f6e74657874457874"
    "3a312e30000001000000000000006c000000010102000a0000003132372e302e302e3100ba6d0b0000004e616d6553"
    "65"
    "727669636500030000000000000008000000010000000054544101000000"
    "1c00000001000000010001000100000001000105090101000100000009010100035454410800000081ff016b010023"
    "d0";

Reason reason_of(std::string_view text) {
  const auto ior = iop::parse_ior_string(text);
  REQUIRE_FALSE(ior.has_value());
  CHECK_FALSE(ior.error().text.empty());
  return ior.error().reason;
}

}  // namespace

TEST_CASE("an IOR of omniORB parses to its type id and its profile") {
  const auto ior = iop::parse_ior_string(from_omniorb);
  REQUIRE(ior.has_value());
  CHECK(ior->type_id == "IDL:acme.com/Stock/Quoter:1.0");
  REQUIRE(ior->profiles.size() == 1);
  const auto profile = iop::decode_iiop_profile(ior->profiles[0]);
  REQUIRE(profile.has_value());
  CHECK(profile->major == 1);
  CHECK(profile->minor == 2);
  CHECK(profile->host == "192.0.2.7");
  CHECK(profile->port == 12345);
  CHECK(profile->object_key == test::from_hex("6b01ff812f1633ca00000001"));
  REQUIRE(profile->components.size() == 2);
  CHECK(iop::decode_orb_type(profile->components[0].data) == 0x41545400u);
  const iop::CodeSetInfo code_sets{{iop::code_set_iso_8859_1, {iop::code_set_utf_8}},
                                   {iop::code_set_utf_16, {iop::code_set_utf_16}}};
  CHECK(iop::decode_code_sets(profile->components[1].data) == code_sets);
}

// Interop fact 49 of docs/interop.md.
TEST_CASE("IORs and profiles of omniORB are written again octet by octet") {
  for (const std::string& text : {from_omniorb, from_omninames}) {
    const auto ior = iop::parse_ior_string(text);
    REQUIRE(ior.has_value());
    if constexpr (std::endian::native == std::endian::little) CHECK(to_ior_string(*ior) == text);
    const auto profile = iop::decode_iiop_profile(ior->profiles.at(0));
    REQUIRE(profile.has_value());
    CHECK(encode_profile(*profile, std::endian::little) == ior->profiles[0]);
  }
}

TEST_CASE("prefix and digits may have any case, and white space at the end is ignored") {
  std::string upper = from_omniorb;
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  const auto expected = iop::parse_ior_string(from_omniorb);
  REQUIRE(expected.has_value());
  for (const std::string& text : {upper, "ior:" + from_omniorb.substr(4), from_omniorb + " \r\n"}) {
    const auto ior = iop::parse_ior_string(text);
    REQUIRE(ior.has_value());
    CHECK(*ior == *expected);
  }
}

TEST_CASE("the nil reference is read in big-endian and in native byte order") {
  const auto nil = iop::parse_ior_string("IOR:00000000000000010000000000000000");
  REQUIRE(nil.has_value());
  CHECK(nil->is_nil());
  const auto round_trip = iop::parse_ior_string(to_ior_string(iop::Ior{}));
  REQUIRE(round_trip.has_value());
  CHECK(*round_trip == iop::Ior{});
}

TEST_CASE("an invalid IOR string is refused with the reason") {
  CHECK(reason_of("") == Reason::bad_scheme);
  CHECK(reason_of("IO") == Reason::bad_scheme);
  CHECK(reason_of("http://x") == Reason::bad_scheme);
  CHECK(reason_of(" IOR:00") == Reason::bad_scheme);
  CHECK(reason_of("IOR:") == Reason::bad_specific);
  CHECK(reason_of("IOR:0") == Reason::bad_specific);
  CHECK(reason_of("IOR:0g") == Reason::bad_specific);
  CHECK(reason_of("IOR:00 00") == Reason::bad_specific);
  CHECK(reason_of("IOR:02000000") == Reason::bad_specific);
  CHECK(reason_of("IOR:" + std::string(65538, '0')) == Reason::other);
}

TEST_CASE("an IOR string that is cut anywhere is refused") {
  for (std::size_t size = 0; size < from_omniorb.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(iop::parse_ior_string(from_omniorb.substr(0, size)).has_value());
  }
}
