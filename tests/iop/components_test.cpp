// Tagged components and service contexts.
#include "support/octets.h"
#include <perigee/iop/components.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>

using namespace perigee;
using perigee::test::octets;

namespace {

/// Checks that `decode` refuses each proper prefix of `data`.
template <typename Decode>
void check_cuts(const Octets& data, Decode decode) {
  for (std::size_t size = 0; size < data.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(decode(OctetSpan(data).first(size)).has_value());
  }
}

}  // namespace

// Interop fact 57 of docs/interop.md: the encoding of omniORB 4.2.5.
TEST_CASE("omniORB's UNIX-domain address is a host and a path") {
  const auto data = octets(1,                         // little-endian
                           0, 0, 0,                   // padding
                           3, 0, 0, 0, 'v', 'm', 0,   // host
                           0,                         // padding
                           3, 0, 0, 0, '/', 's', 0);  // path
  const iop::OmniorbUnixAddress address{"vm", "/s"};
  CHECK(iop::decode_omniorb_unix_address(data) == address);
  const auto component = iop::encode_omniorb_unix_address(address);
  CHECK(component.tag == 0x41545402);
  CHECK(iop::decode_omniorb_unix_address(component.data) == address);
  check_cuts(data, iop::decode_omniorb_unix_address);
}

TEST_CASE("TAG_ORB_TYPE is one unsigned long") {
  const auto data = octets(0,                        // big-endian
                           0, 0, 0,                  // padding
                           0x41, 0x54, 0x54, 0x00);  // omniORB
  CHECK(iop::decode_orb_type(data) == 0x41545400u);
  const auto component = iop::encode_orb_type(0x50455200);
  CHECK(component.tag == iop::tag_orb_type);
  CHECK(iop::decode_orb_type(component.data) == 0x50455200u);
  check_cuts(data, iop::decode_orb_type);
}

// CORBA 3.0, 13.10.2.4; interop facts 32 and 34 of docs/interop.md.
TEST_CASE("TAG_CODE_SETS is the native and conversion code sets of char, then of wchar") {
  const auto data = octets(1,                       // little-endian
                           0, 0, 0,                 // padding
                           0x01, 0x00, 0x01, 0x05,  // char: UTF-8
                           1, 0, 0, 0,              // one conversion code set
                           0x01, 0x00, 0x01, 0x00,  // ISO-8859-1
                           0x09, 0x01, 0x01, 0x00,  // wchar: UTF-16
                           0, 0, 0, 0);             // no conversion code set
  const iop::CodeSetInfo info{{iop::code_set_utf_8, {iop::code_set_iso_8859_1}},
                              {iop::code_set_utf_16, {}}};
  CHECK(iop::decode_code_sets(data) == info);
  const auto component = iop::encode_code_sets(info);
  CHECK(component.tag == iop::tag_code_sets);
  if constexpr (std::endian::native == std::endian::little) CHECK(component.data == data);
  check_cuts(data, iop::decode_code_sets);
}

TEST_CASE("code sets survive a round trip, and too many are refused") {
  iop::CodeSetInfo info{{1, {2, 3, 4}}, {5, {6}}};
  CHECK(iop::decode_code_sets(iop::encode_code_sets(info).data) == info);
  info.for_char.conversions.resize(65);
  const auto decoded = iop::decode_code_sets(iop::encode_code_sets(info).data);
  REQUIRE_FALSE(decoded.has_value());
  CHECK(decoded.error().kind == cdr::ErrorKind::too_large);
}

// CORBA 3.0, 13.10.2.5.
TEST_CASE("the CodeSets service context is the two code sets of transmission") {
  const auto data = octets(0,                        // big-endian
                           0, 0, 0,                  // padding
                           0x05, 0x01, 0x00, 0x01,   // char data: UTF-8
                           0x00, 0x01, 0x01, 0x09);  // wchar data: UTF-16
  const iop::CodeSetContext context{iop::code_set_utf_8, iop::code_set_utf_16};
  CHECK(iop::decode_code_set_context(data) == context);
  CHECK(iop::decode_code_set_context(iop::encode_code_set_context(context)) == context);
  check_cuts(data, iop::decode_code_set_context);
}

// CORBA 3.0, 15.7.3; interop fact 46 of docs/interop.md.
TEST_CASE("TAG_ALTERNATE_IIOP_ADDRESS is a host and a port") {
  const auto data = octets(1,                             // little-endian
                           0, 0, 0,                       // padding
                           4, 0, 0, 0, ':', ':', '1', 0,  // host
                           0xf9, 0x0a);                   // port
  const iop::AlternateAddress address{"::1", 2809};
  CHECK(iop::decode_alternate_address(data) == address);
  CHECK(iop::decode_alternate_address(iop::encode_alternate_address(address).data) == address);
  check_cuts(data, iop::decode_alternate_address);
}

TEST_CASE("the first component with a tag is found, or none if there is none") {
  const std::array<iop::TaggedComponent, 3> components{
      {{5, octets(1)}, {7, octets(2)}, {7, octets(3)}}};
  CHECK(iop::find_component(components, 7) == &components[1]);
  CHECK(iop::find_component(components, 6) == nullptr);
}

TEST_CASE("the remaining time is an unsigned long long") {
  const auto data = octets(1,                                 // little-endian
                           0, 0, 0, 0, 0, 0, 0,               // padding
                           0x40, 0x42, 0x0f, 0, 0, 0, 0, 0);  // 1,000,000 us
  const auto big = octets(0, 0, 0, 0, 0, 0, 0, 0,             // big-endian, padding
                          0, 0, 0, 0, 0, 0x0f, 0x42, 0x40);   // the same
  CHECK(iop::decode_remaining_time(data) == 1'000'000u);
  CHECK(iop::decode_remaining_time(big) == 1'000'000u);
  std::array<std::byte, iop::remaining_time_size> encoded;
  iop::encode_remaining_time(encoded, 1'000'000);
  CHECK(OctetSpan(encoded).size() == data.size());
  CHECK(std::ranges::equal(encoded, std::endian::native == std::endian::little ? data : big));
  check_cuts(data, iop::decode_remaining_time);
}
