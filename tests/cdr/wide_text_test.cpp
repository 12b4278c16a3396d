// wchar and wstring: each code set in the forms of GIOP 1.1 and 1.2. Interop facts 28 to 30 of
// docs/interop.md.
#include "support/octets.h"
#include <perigee/cdr/operators.h>

#include <doctest/doctest.h>

#include <string>

using namespace perigee;
using cdr::CodeSets;
using cdr::ErrorKind;
using cdr::WideSet;
using perigee::test::from_hex;
using std::endian;

namespace {

constexpr CodeSets utf_16_in_1_2{};
constexpr CodeSets utf_16_in_1_1{.giop_minor = 1};
constexpr CodeSets ucs_2_in_1_2{.wide = WideSet::ucs_2};
constexpr CodeSets ucs_2_in_1_1{.wide = WideSet::ucs_2, .giop_minor = 1};
constexpr CodeSets ucs_4_in_1_2{.wide = WideSet::ucs_4};
constexpr CodeSets ucs_4_in_1_1{.wide = WideSet::ucs_4, .giop_minor = 1};

const std::wstring a_clef_b = L"a\U0001d11eb";

template <typename T>
ErrorKind encoding_error(const T& value, CodeSets code_sets) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder.set_code_sets(code_sets);
  encoder << value;
  return encoder.error().kind;
}

template <typename T>
T decode(std::string_view hex, CodeSets code_sets, endian order, ErrorKind expected) {
  const Octets wire = from_hex(hex);
  cdr::Decoder decoder(wire, order);
  decoder.set_code_sets(code_sets);
  T value{};
  decoder >> value;
  CHECK(decoder.error().kind == expected);
  CHECK(decoder.remaining() == 0);
  return value;
}

template <typename T>
T decoded(std::string_view hex, CodeSets code_sets, endian order) {
  return decode<T>(hex, code_sets, order, ErrorKind::none);
}

template <typename T>
ErrorKind decoding_error(std::string_view hex, CodeSets code_sets) {
  const Octets wire = from_hex(hex);
  cdr::Decoder decoder(wire, endian::big);
  decoder.set_code_sets(code_sets);
  T value{};
  decoder >> value;
  CHECK(value == T{});
  return decoder.error().kind;
}

/// Checks that `value` is encoded as these octets, and decoded from them.
template <typename T>
void check(const T& value, CodeSets code_sets, endian order, std::string_view hex) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order);
  encoder.set_code_sets(code_sets);
  encoder << value;
  CHECK(encoder.ok());
  CHECK(buffer.flatten() == from_hex(hex));
  CHECK(decoded<T>(hex, code_sets, order) == value);
}

}  // namespace

TEST_CASE("a GIOP 1.2 wstring is its octets in big endian, whatever the stream's byte order") {
  check(a_clef_b, utf_16_in_1_2, endian::big, "00000008 0061 d834dd1e 0062");
  check(a_clef_b, utf_16_in_1_2, endian::little, "08000000 0061 d834dd1e 0062");
  check(std::wstring(L"\u20ac"), ucs_2_in_1_2, endian::little, "02000000 20ac");
  check(a_clef_b, ucs_4_in_1_2, endian::little, "0c000000 00000061 0001d11e 00000062");
  check(std::wstring(), utf_16_in_1_2, endian::little, "00000000");
  check(std::wstring(), ucs_4_in_1_2, endian::big, "00000000");
}

TEST_CASE("a GIOP 1.1 wstring is units in the stream's byte order, with a NUL that counts") {
  check(a_clef_b, utf_16_in_1_1, endian::big, "00000005 0061 d834dd1e 0062 0000");
  check(a_clef_b, utf_16_in_1_1, endian::little, "05000000 6100 34d81edd 6200 0000");
  check(std::wstring(L"\u20ac"), ucs_2_in_1_1, endian::little, "02000000 ac20 0000");
  check(a_clef_b, ucs_4_in_1_1, endian::little, "04000000 61000000 1ed10100 62000000 00000000");
  check(std::wstring(), utf_16_in_1_1, endian::little, "01000000 0000");
}

TEST_CASE("a GIOP 1.2 wchar is a count of octets, and the octets in big endian") {
  check(L'\u20ac', utf_16_in_1_2, endian::little, "02 20ac");
  check(L'\U0001d11e', utf_16_in_1_2, endian::little, "04 d834dd1e");
  check(L'\u20ac', ucs_2_in_1_2, endian::little, "02 20ac");
  check(L'\U0001d11e', ucs_4_in_1_2, endian::little, "04 0001d11e");
  check(L'\0', utf_16_in_1_2, endian::big, "02 0000");
}

TEST_CASE("a GIOP 1.1 wchar is one aligned unit in the stream's byte order") {
  check(L'\u20ac', utf_16_in_1_1, endian::big, "20ac");
  check(L'\u20ac', utf_16_in_1_1, endian::little, "ac20");
  check(L'\U0001d11e', ucs_4_in_1_1, endian::little, "1ed10100");
  CHECK(encoding_error(L'\U0001d11e', utf_16_in_1_1) == ErrorKind::bad_character);
}

TEST_CASE("wide text of other ORBs with a byte order mark is read") {
  // Measured: omniORB, little endian.
  CHECK(decoded<std::wstring>("0a000000 fffe 6100 34d81edd 6200", utf_16_in_1_2, endian::little) ==
        a_clef_b);
  CHECK(decoded<std::wstring>("0000000a feff 0061 d834dd1e 0062", utf_16_in_1_2, endian::big) ==
        a_clef_b);
  CHECK(decoded<std::wstring>("02000000 fffe", utf_16_in_1_2, endian::little).empty());
  CHECK(decoded<wchar_t>("04 fffe ac20", utf_16_in_1_2, endian::big) == L'\u20ac');
  CHECK(decoded<wchar_t>("06 fffe 34d81edd", utf_16_in_1_2, endian::big) == L'\U0001d11e');
  CHECK(decoded<wchar_t>("08 fffe0000 1ed10100", ucs_4_in_1_2, endian::big) == L'\U0001d11e');
  CHECK(decoded<std::wstring>("00000008 fffe0000 61000000", ucs_4_in_1_2, endian::big) == L"a");
}

TEST_CASE("a text that begins like a byte order mark is written with a mark in front of it") {
  check(std::wstring(L"\ufeffa"), utf_16_in_1_2, endian::little, "06000000 feff feff 0061");
  check(std::wstring(L"\ufffea"), utf_16_in_1_2, endian::little, "06000000 feff fffe 0061");
  check(std::wstring(L"\ufffea"), ucs_4_in_1_2, endian::big, "00000008 0000fffe 00000061");
  check(std::wstring(L"\ufeff"), ucs_4_in_1_2, endian::big, "00000008 0000feff 0000feff");
  check(L'\ufeff', utf_16_in_1_2, endian::big, "04 feff feff");
  CHECK(decoded<wchar_t>("02 feff", utf_16_in_1_2, endian::big) == L'\ufeff');
}

TEST_CASE(
    "a wide character that the code set does not have is an error, and is not lost silently") {
  CHECK(encoding_error(a_clef_b, ucs_2_in_1_2) == ErrorKind::bad_character);
  CHECK(encoding_error(L'\U0001d11e', ucs_2_in_1_2) == ErrorKind::bad_character);
  for (const CodeSets code_sets : {utf_16_in_1_1, utf_16_in_1_2, ucs_4_in_1_2}) {
    CHECK(encoding_error(wchar_t{0xd834}, code_sets) == ErrorKind::bad_character);
    CHECK(encoding_error(std::wstring(1, wchar_t{0x110000}), code_sets) ==
          ErrorKind::bad_character);
    CHECK(encoding_error(std::wstring(1, static_cast<wchar_t>(-1)), code_sets) ==
          ErrorKind::bad_character);
    CHECK(encoding_error(std::wstring(L"a\0b", 3), code_sets) == ErrorKind::bad_string);
  }
}

TEST_CASE("invalid wide strings from the wire are errors") {
  CHECK(decoding_error<std::wstring>("00000002 d834", utf_16_in_1_2) == ErrorKind::bad_character);
  CHECK(decoding_error<std::wstring>("00000004 d8340061", utf_16_in_1_2) ==
        ErrorKind::bad_character);
  CHECK(decoding_error<std::wstring>("00000004 dd1ed834", utf_16_in_1_2) ==
        ErrorKind::bad_character);
  CHECK(decoding_error<std::wstring>("00000003 006100", utf_16_in_1_2) == ErrorKind::bad_character);
  CHECK(decoding_error<std::wstring>("00000004 00610000", utf_16_in_1_2) == ErrorKind::bad_string);
  CHECK(decoding_error<std::wstring>("00000004 d834dd1e", ucs_2_in_1_2) ==
        ErrorKind::bad_character);
  CHECK(decoding_error<std::wstring>("00000004 00110000", ucs_4_in_1_2) ==
        ErrorKind::bad_character);
  CHECK(decoding_error<std::wstring>("00000009 0061", utf_16_in_1_2) == ErrorKind::bad_length);
  CHECK(decoding_error<std::wstring>("80000001 0061", utf_16_in_1_1) == ErrorKind::bad_length);
  CHECK(decoding_error<std::wstring>("00000002 0061 0062", utf_16_in_1_1) == ErrorKind::bad_string);
}

TEST_CASE("invalid wide characters from the wire are errors") {
  CHECK(decoding_error<wchar_t>("00", utf_16_in_1_2) == ErrorKind::bad_character);
  CHECK(decoding_error<wchar_t>("01 61", utf_16_in_1_2) == ErrorKind::bad_character);
  CHECK(decoding_error<wchar_t>("04 0061 0062", utf_16_in_1_2) == ErrorKind::bad_character);
  CHECK(decoding_error<wchar_t>("02 d834", utf_16_in_1_2) == ErrorKind::bad_character);
  CHECK(decoding_error<wchar_t>("d834", utf_16_in_1_1) == ErrorKind::bad_character);
  CHECK(decoding_error<wchar_t>("04 0061", utf_16_in_1_2) == ErrorKind::truncated);
  CHECK(decoding_error<wchar_t>("04 00110000", ucs_4_in_1_2) == ErrorKind::bad_character);
}

TEST_CASE("GIOP 1.0 has no wide characters") {
  constexpr CodeSets in_1_0{.giop_minor = 0};
  CHECK(encoding_error(L'a', in_1_0) == ErrorKind::not_in_version);
  CHECK(encoding_error(std::wstring(L"a"), in_1_0) == ErrorKind::not_in_version);
  CHECK(decoding_error<wchar_t>("0061", in_1_0) == ErrorKind::not_in_version);
  CHECK(decoding_error<std::wstring>("00000001 0000", in_1_0) == ErrorKind::not_in_version);
}

TEST_CASE("without an agreed code set there are no wide characters") {
  constexpr CodeSets none{.wide = WideSet::none};
  CHECK(encoding_error(L'a', none) == ErrorKind::no_code_set);
  CHECK(encoding_error(std::wstring(L"a"), none) == ErrorKind::no_code_set);
  CHECK(decoding_error<wchar_t>("02 0061", none) == ErrorKind::no_code_set);
  CHECK(decoding_error<std::wstring>("00000002 0061", none) == ErrorKind::no_code_set);
}

TEST_CASE("within the process wide characters stay as they are") {
  constexpr CodeSets native{.wide = WideSet::native};
  const std::wstring text{L'a', wchar_t{0xd834}, static_cast<wchar_t>(-1)};
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder.set_code_sets(native);
  encoder << L'\U0001d11e' << text << std::wstring();
  cdr::Decoder decoder(buffer.own_octets(), endian::native);
  decoder.set_code_sets(native);
  wchar_t character{};
  std::wstring first;
  std::wstring second = L"old";
  decoder >> character >> first >> second;
  CHECK(decoder.ok());
  CHECK(character == L'\U0001d11e');
  CHECK(first == text);
  CHECK(second.empty());
}

TEST_CASE("sequences of wide characters and strings follow the same rules") {
  check(std::vector<wchar_t>{L'a', L'\u20ac'}, utf_16_in_1_2, endian::big,
        "00000002 02 0061 02 20ac");
  check(std::vector<wchar_t>{L'a', L'\u20ac'}, utf_16_in_1_1, endian::little, "02000000 6100 ac20");
  check(std::vector<std::wstring>{L"a", L""}, utf_16_in_1_2, endian::big,
        "00000002 00000002 0061 0000 00000000");
}

TEST_CASE("an encapsulation inherits the code sets of the message around it") {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, endian::big);
  encoder.set_code_sets(ucs_4_in_1_2);
  encoder.write_encapsulation([](cdr::Encoder& contents) { contents << L'a'; });
  CHECK(buffer.flatten() == from_hex("00000006 00 04 00000061"));
  cdr::Decoder decoder(buffer.own_octets(), endian::big);
  decoder.set_code_sets(ucs_4_in_1_2);
  CHECK(decoder.read_encapsulation().read_wide_character() == L'a');
}
