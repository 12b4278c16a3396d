// Codecs, which encode values as encapsulations.
#include "orb/fixture.h"
#include "support/octets.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/codec.h>
#include <perigee/orb/typecode_factory.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using IOP::Codec;
using OctetSeq = std::vector<std::uint8_t>;

namespace {

template <typename T>
CORBA::Any any_of(T value) {
  CORBA::Any any;
  any <<= std::move(value);
  return any;
}

class CodecFixture : public Fixture {
 public:
  explicit CodecFixture(std::uint8_t giop_minor = 2)
      : factory(IDL::traits<IOP::CodecFactory>::narrow(
            core().resolve_initial_reference("CodecFactory"))),
        codec(factory->create_codec({IOP::ENCODING_CDR_ENCAPS, 1, giop_minor})) {}

  IDL::traits<IOP::CodecFactory>::ref_type factory;
  IDL::traits<Codec>::ref_type codec;
};

/// A big-endian encapsulation with these octets after the byte order.
OctetSeq big_endian(OctetSeq octets) {
  octets.insert(octets.begin(), 0);
  return octets;
}

}  // namespace

TEST_CASE("values of many types are the same after encoding and decoding") {
  const CodecFixture f;
  const CORBA::Any values[] = {any_of(std::int32_t{-7}),
                               any_of(2.5),
                               any_of(std::string("Grüße")),
                               any_of(std::wstring(L"\u65e5\u672c")),
                               any_of(std::vector<std::int64_t>{1, 2, 3}),
                               any_of(any_of(std::uint8_t{9})),
                               CORBA::Any()};
  for (const CORBA::Any& value : values) {
    CHECK(f.codec->decode(f.codec->encode(value)) == value);
    CHECK(f.codec->decode_value(f.codec->encode_value(value), value.type()) == value);
  }
}

TEST_CASE("a string that is not well-formed UTF-8 is encoded, but not decoded") {
  const CodecFixture f;
  const CORBA::Any latin_1 = any_of(std::string("caf\xe9"));
  CHECK_THROWS_AS((void)f.codec->decode(f.codec->encode(latin_1)), Codec::FormatMismatch);
  CHECK_THROWS_AS((void)f.codec->decode_value(f.codec->encode_value(latin_1), latin_1.type()),
                  Codec::TypeMismatch);
}

// CORBA 3.0, 15.3.3: the octet of the byte order comes first, and counts for the alignment.
TEST_CASE("the first octet of an encoded value names its byte order") {
  const CodecFixture f;
  const OctetSeq octets = big_endian({0, 0, 0, 0, 0, 0, 7});
  std::int32_t number = 0;
  CHECK((f.codec->decode_value(octets, CORBA::_tc_long) >>= number));
  CHECK(number == 7);
  const OctetSeq own = f.codec->encode_value(any_of(std::int32_t{7}));
  REQUIRE(own.size() == 8);
  CHECK(own[0] == (std::endian::native == std::endian::little ? 1 : 0));
  CHECK(own[std::endian::native == std::endian::little ? 4 : 7] == 7);
}

// binary128 has more digits than the long double of x86.
TEST_CASE("a long double keeps all its octets from decoding to encoding") {
  const CodecFixture f;
  // The byte order of this machine, padding to 8, and 16 octets.
  OctetSeq octets = {std::endian::native == std::endian::little ? std::uint8_t{1} : std::uint8_t{0},
                     0,
                     0,
                     0,
                     0,
                     0,
                     0,
                     0};
  for (std::uint8_t octet = 1; octet <= 16; ++octet) octets.push_back(octet);
  const CORBA::Any any = f.codec->decode_value(octets, CORBA::_tc_longdouble);
  CHECK(f.codec->encode_value(any) == octets);
  long double number = 0;
  CHECK((any >>= number));
  CHECK(number != 0);
  CHECK((f.codec->decode_value(f.codec->encode_value(any_of(number)), CORBA::_tc_longdouble) >>=
         number));
}

// The TypeCode of a custom valuetype does not describe its state.
TEST_CASE("decoding a custom valuetype or event type without a factory raises TypeMismatch") {
  const CodecFixture f;
  const OctetSeq octets = big_endian({0, 0, 0, 0x7f, 0xff, 0xff, 0x00, 0, 0, 0, 7});
  constexpr cdr::TypeMember members[] = {{"n", &cdr::basic_node<cdr::TypeKind::tk_long>}};
  for (const cdr::TypeKind kind : {cdr::TypeKind::tk_value, cdr::TypeKind::tk_event}) {
    cdr::TypeNode type{.kind = kind, .id = "IDL:V:1.0", .name = "V", .members = members};
    CHECK_NOTHROW((void)f.codec->decode_value(octets, CORBA::TypeCodeConstant(&type)));
    type.scale = CORBA::VM_CUSTOM;
    CHECK_THROWS_AS((void)f.codec->decode_value(octets, CORBA::TypeCodeConstant(&type)),
                    Codec::TypeMismatch);
  }
}

TEST_CASE("a reference in a value belongs to the ORB of the codec") {
  CodecFixture f;
  const auto object = f.object({"a"});
  CORBA::object_reference<CORBA::Object> decoded;
  CHECK((f.codec->decode(f.codec->encode(any_of(object))) >>= decoded));
  CHECK(decoded->_is_equivalent(object));
}

TEST_CASE("decoding octets that are not an encapsulation of an any raises FormatMismatch") {
  const CodecFixture f;
  CHECK_THROWS_AS((void)f.codec->decode({}), Codec::FormatMismatch);
  CHECK_THROWS_AS((void)f.codec->decode({7, 0, 0, 0}), Codec::FormatMismatch);
  CHECK_THROWS_AS((void)f.codec->decode_value({}, CORBA::_tc_long), Codec::FormatMismatch);
  OctetSeq octets = f.codec->encode(any_of(std::string("text")));
  while (!octets.empty()) {
    octets.pop_back();
    CHECK_THROWS_AS((void)f.codec->decode(octets), Codec::FormatMismatch);
  }
}

TEST_CASE("decoding octets that are not a value of the type raises TypeMismatch") {
  const CodecFixture f;
  const OctetSeq octets = f.codec->encode_value(any_of(std::int32_t{7}));
  CHECK_THROWS_AS((void)f.codec->decode_value(octets, CORBA::_tc_string), Codec::TypeMismatch);
  CHECK_THROWS_AS((void)f.codec->decode_value(octets, CORBA::_tc_double), Codec::TypeMismatch);
  CHECK_THROWS_AS((void)f.codec->decode_value(octets, nullptr), CORBA::BAD_PARAM);
}

TEST_CASE("GIOP 1.0 has no encoding for wide characters") {
  const CodecFixture f(0);
  CHECK_THROWS_AS((void)f.codec->encode(any_of(L'x')), Codec::InvalidTypeForEncoding);
  CHECK_THROWS_AS((void)f.codec->encode_value(any_of(std::wstring(L"x"))),
                  Codec::InvalidTypeForEncoding);
  CHECK(CodecFixture(1).codec->encode_value(any_of(L'x')).size() == 4);
}

TEST_CASE("a factory knows encapsulations of GIOP 1.0 to 1.2 only") {
  const CodecFixture f;
  for (const IOP::Encoding& unknown :
       {IOP::Encoding(1, 1, 2), IOP::Encoding(IOP::ENCODING_CDR_ENCAPS, 2, 0),
        IOP::Encoding(IOP::ENCODING_CDR_ENCAPS, 1, 3)})
    CHECK_THROWS_AS((void)f.factory->create_codec(unknown), IOP::CodecFactory::UnknownEncoding);
}

TEST_CASE("the limits of values in messages also apply to a codec") {
  const CodecFixture f;
  CORBA::Any deep = any_of(std::uint8_t{9});
  for (int depth = 0; depth < 200; ++depth) deep = any_of(deep);
  CHECK_THROWS_AS((void)f.codec->decode(f.codec->encode(deep)), CORBA::IMP_LIMIT);
}

namespace {

constexpr IOP::CodeSetId latin_1 = 0x00010001;
constexpr IOP::CodeSetId utf_16 = 0x00010109;
constexpr IOP::CodeSetId unknown_code_set = 0x00020001;

}  // namespace

TEST_CASE("a codec carries characters in the code sets with which it was created") {
  const CodecFixture f;
  const auto codec =
      f.factory->create_codec_with_codesets({IOP::ENCODING_CDR_ENCAPS, 1, 2, latin_1, utf_16});
  const CORBA::Any text = any_of(std::string("\u00e4"));
  const OctetSeq octets = codec->encode_value(text);
  REQUIRE(octets.size() == 10);
  CHECK(octets[8] == 0xe4);  // one octet in ISO 8859-1, and the NUL after it
  CHECK(codec->decode_value(octets, text.type()) == text);
  const CORBA::Any wide = any_of(std::wstring(L"\u65e5"));
  CHECK(codec->decode(codec->encode(wide)) == wide);
}

TEST_CASE("a codec of GIOP 1.0 does not encode wide characters, even with code sets") {
  const CodecFixture f;
  const auto codec = f.factory->create_codec_with_codesets(
      {IOP::ENCODING_CDR_ENCAPS, 1, 0, latin_1, unknown_code_set});
  CHECK_THROWS_AS((void)codec->encode(any_of(std::wstring(L"a"))), Codec::InvalidTypeForEncoding);
}

TEST_CASE("the factory names the code set that it does not support") {
  const CodecFixture f;
  const auto refused = [&](IOP::CodeSetId chars, IOP::CodeSetId wide_chars) -> IOP::CodeSetId {
    try {
      (void)f.factory->create_codec_with_codesets(
          {IOP::ENCODING_CDR_ENCAPS, 1, 2, chars, wide_chars});
      return 0;
    } catch (const IOP::CodecFactory::UnsupportedCodeset& exception) {
      CHECK(std::string(exception.what())
                .ends_with("{codeset=" + std::to_string(exception.codeset()) + "}"));
      return exception.codeset();
    }
  };
  CHECK(refused(unknown_code_set, utf_16) == unknown_code_set);
  CHECK(refused(latin_1, 0x00020109) == 0x00020109);
  CHECK_THROWS_AS((void)f.factory->create_codec_with_codesets({1, 1, 2, latin_1, utf_16}),
                  IOP::CodecFactory::UnknownEncoding);
}
