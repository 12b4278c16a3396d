// IORs as CDR. CORBA 3.0, 13.6.2.
#include "support/octets.h"
#include <perigee/iop/ior.h>

#include <doctest/doctest.h>

using namespace perigee;
using perigee::test::octets;

namespace {

Octets encoded(const iop::Ior& ior, std::endian order) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order);
  encode(encoder, ior);
  return buffer.flatten();
}

const iop::Ior two_profiles{"IDL:A:1.0", {{0, octets(1, 2)}, {0x54414f00, octets(3)}}};

}  // namespace

TEST_CASE("an IOR is a type id and a sequence of tagged profiles") {
  const auto wire = octets(10, 0, 0, 0,                                     // length of type id
                           'I', 'D', 'L', ':', 'A', ':', '1', '.', '0', 0,  //
                           0, 0,                                            // padding
                           2, 0, 0, 0,                                      // two profiles
                           0, 0, 0, 0,                                      // TAG_INTERNET_IOP
                           2, 0, 0, 0, 1, 2,                                // its data
                           0, 0,                                            // padding
                           0x00, 0x4f, 0x41, 0x54,                          // a foreign tag
                           1, 0, 0, 0, 3);                                  // its data
  CHECK(encoded(two_profiles, std::endian::little) == wire);
  cdr::Decoder decoder(wire, std::endian::little);
  iop::Ior ior;
  decode(decoder, ior);
  CHECK(decoder.ok());
  CHECK(decoder.remaining() == 0);
  CHECK(ior == two_profiles);
}

TEST_CASE("the nil reference is an empty type id and no profiles") {
  const auto wire = octets(0, 0, 0, 1, 0,  // length of type id, and its NUL
                           0, 0, 0,        // padding
                           0, 0, 0, 0);    // no profiles
  CHECK(encoded(iop::Ior{}, std::endian::big) == wire);
  CHECK(iop::Ior{}.is_nil());
}

TEST_CASE("an IOR decodes to what was encoded, in both byte orders") {
  for (const auto order : {std::endian::little, std::endian::big}) {
    const Octets wire = encoded(two_profiles, order);
    cdr::Decoder decoder(wire, order);
    iop::Ior ior;
    decode(decoder, ior);
    CHECK(ior == two_profiles);
  }
}

TEST_CASE("an IOR that is cut anywhere is an error and leaves the nil reference") {
  const Octets wire = encoded(two_profiles, std::endian::little);
  for (std::size_t size = 0; size < wire.size(); ++size) {
    CAPTURE(size);
    cdr::Decoder decoder(OctetSpan(wire).first(size), std::endian::little);
    iop::Ior ior{"left over", {{7, {}}}};
    decode(decoder, ior);
    CHECK_FALSE(decoder.ok());
    CHECK(ior == iop::Ior{});
  }
}

TEST_CASE("more profiles than the limit are refused") {
  iop::Ior many;
  many.profiles.resize(65);
  const Octets wire = encoded(many, std::endian::little);
  cdr::Decoder decoder(wire, std::endian::little);
  iop::Ior ior;
  decode(decoder, ior);
  CHECK(decoder.error().kind == cdr::ErrorKind::too_large);
  cdr::Decoder again(wire, std::endian::little);
  decode(again, ior, {.profiles_max = 65});
  CHECK(ior == many);
}
