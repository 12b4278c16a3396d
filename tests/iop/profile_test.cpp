// IIOP profiles. CORBA 3.0, 15.7.2; interop fact 45 of docs/interop.md.
#include "support/octets.h"
#include <perigee/iop/ior.h>

#include <doctest/doctest.h>

using namespace perigee;
using perigee::test::octets;

namespace {

const iop::IiopProfile example{1, 2, "ab", 2809, octets('k'), {{1, octets(9, 8)}, {0x1234, {}}}};

}  // namespace

TEST_CASE("a profile of version 1.0 ends with the object key") {
  const iop::IiopProfile profile{1, 0, "host", 0x0102, octets(0xaa, 0xbb, 0xcc), {}};
  const auto wire = octets(1,                                  // little-endian
                           1, 0,                               // version
                           0,                                  // padding
                           5, 0, 0, 0, 'h', 'o', 's', 't', 0,  //
                           0,                                  // padding
                           0x02, 0x01,                         // port
                           3, 0, 0, 0, 0xaa, 0xbb, 0xcc);      // object key
  CHECK(encode_profile(profile, std::endian::little) == iop::TaggedProfile{0, wire});
  CHECK(iop::decode_iiop_profile({0, wire}) == profile);
}

TEST_CASE("a profile of version 1.1 and later has components after the object key") {
  const auto wire = octets(0,                              // big-endian
                           1, 2,                           // version
                           0,                              // padding
                           0, 0, 0, 3, 'a', 'b', 0,        // host
                           0,                              // padding
                           0x0a, 0xf9,                     // port
                           0, 0,                           // padding
                           0, 0, 0, 1, 'k',                // object key
                           0, 0, 0,                        // padding
                           0, 0, 0, 2,                     // two components
                           0, 0, 0, 1, 0, 0, 0, 2, 9, 8,   // the first
                           0, 0,                           // padding
                           0, 0, 0x12, 0x34, 0, 0, 0, 0);  // the second, without data
  CHECK(encode_profile(example, std::endian::big) == iop::TaggedProfile{0, wire});
  CHECK(iop::decode_iiop_profile({0, wire}) == example);
}

TEST_CASE("encoding a profile of version 1.0 leaves components out") {
  iop::IiopProfile old = example;
  old.minor = 0;
  const auto decoded = iop::decode_iiop_profile(encode_profile(old));
  REQUIRE(decoded.has_value());
  CHECK(decoded->components.empty());
  CHECK(decoded->object_key == example.object_key);
}

TEST_CASE("a profile of a later minor version has the 1.1 layout; octets after it are ignored") {
  iop::IiopProfile later = example;
  later.minor = 7;
  for (const auto order : {std::endian::little, std::endian::big}) {
    iop::TaggedProfile tagged = encode_profile(later, order);
    CHECK(iop::decode_iiop_profile(tagged) == later);
    tagged.data.push_back(std::byte{1});
    CHECK(iop::decode_iiop_profile(tagged) == later);
  }
}

TEST_CASE("another major version is refused") {
  iop::IiopProfile profile = example;
  profile.major = 2;
  const auto decoded = iop::decode_iiop_profile(encode_profile(profile));
  REQUIRE_FALSE(decoded.has_value());
  CHECK(decoded.error().kind == cdr::ErrorKind::bad_value);
}

TEST_CASE("a profile that is cut anywhere is an error") {
  const iop::TaggedProfile whole = encode_profile(example);
  for (std::size_t size = 0; size < whole.data.size(); ++size) {
    CAPTURE(size);
    iop::TaggedProfile cut = whole;
    cut.data.resize(size);
    CHECK_FALSE(iop::decode_iiop_profile(cut).has_value());
  }
}

TEST_CASE("more components than the limit are refused") {
  iop::IiopProfile many = example;
  many.components.resize(65);
  const auto decoded = iop::decode_iiop_profile(encode_profile(many));
  REQUIRE_FALSE(decoded.has_value());
  CHECK(decoded.error().kind == cdr::ErrorKind::too_large);
  CHECK(iop::decode_iiop_profile(encode_profile(many), {.components_max = 65}) == many);
}
