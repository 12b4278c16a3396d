// Strings and chars whose code set on the wire differs from the code set of the program.
#include "cdr/code_pages.h"
#include "support/octets.h"
#include <perigee/cdr/code_set_registry.h>
#include <perigee/cdr/operators.h>

#include <doctest/doctest.h>

#include <string>

using namespace perigee;
using cdr::CharSet;
using cdr::CodeSets;
using cdr::ErrorKind;
using perigee::test::from_hex;
using std::endian;

namespace {

constexpr CodeSets to(CharSet chars) { return {.chars = chars}; }
constexpr CodeSets from(CharSet native, CharSet chars) {
  return {.native = native, .chars = chars};
}

struct Encoded {
  Octets octets;
  ErrorKind error = ErrorKind::none;
};

template <typename T>
Encoded encode(const T& value, CodeSets code_sets, endian order = endian::big) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order);
  encoder.set_code_sets(code_sets);
  encoder << value;
  return {buffer.flatten(), encoder.error().kind};
}

template <typename T>
std::pair<T, ErrorKind> decode(std::string_view hex, CodeSets code_sets) {
  const Octets wire = from_hex(hex);
  cdr::Decoder decoder(wire, endian::big);
  decoder.set_code_sets(code_sets);
  T value{};
  decoder >> value;
  return {value, decoder.error().kind};
}

/// Checks that `value` is encoded as these octets, and decoded from them.
template <typename T>
void check(const T& value, CodeSets code_sets, std::string_view hex) {
  const Encoded encoded = encode(value, code_sets);
  CHECK(encoded.error == ErrorKind::none);
  CHECK(encoded.octets == from_hex(hex));
  const auto [decoded, error] = decode<T>(hex, code_sets);
  CHECK(error == ErrorKind::none);
  CHECK(decoded == value);
}

}  // namespace

TEST_CASE("between equal code sets a string keeps its octets, whatever they mean") {
  check(std::string("\xe9\xff"), {}, "00000003 e9ff00");
  check(std::string("\xe9\xff"), from(CharSet::iso_8859_1, CharSet::iso_8859_1), "00000003 e9ff00");
  check('\xe9', {}, "e9");
}

TEST_CASE("a string is converted from UTF-8 to each code set, and back") {
  check(std::string("\u00e9"), to(CharSet::iso_8859_1), "00000002 e900");
  check(std::string("\u0159"), to(CharSet::iso_8859_2), "00000002 f800");
  check(std::string("\u0127"), to(CharSet::iso_8859_3), "00000002 b100");
  check(std::string("\u014b"), to(CharSet::iso_8859_4), "00000002 bf00");
  check(std::string("\u0436"), to(CharSet::iso_8859_5), "00000002 d600");
  check(std::string("\u0639"), to(CharSet::iso_8859_6), "00000002 d900");
  check(std::string("\u03c9"), to(CharSet::iso_8859_7), "00000002 f900");
  check(std::string("\u05d0"), to(CharSet::iso_8859_8), "00000002 e000");
  check(std::string("\u0131"), to(CharSet::iso_8859_9), "00000002 fd00");
  check(std::string("\u0168"), to(CharSet::iso_8859_10), "00000002 d700");
  check(std::string("\u0e01"), to(CharSet::iso_8859_11), "00000002 a100");
  check(std::string("\u0173"), to(CharSet::iso_8859_13), "00000002 f800");
  check(std::string("\u0175"), to(CharSet::iso_8859_14), "00000002 f000");
  check(std::string("\u20ac"), to(CharSet::iso_8859_15), "00000002 a400");
  check(std::string("\u0219"), to(CharSet::iso_8859_16), "00000002 ba00");
  check(std::string("plain"), to(CharSet::us_ascii), "00000006 706c61696e00");
  check(std::string(), to(CharSet::iso_8859_5), "00000001 00");
}

TEST_CASE("a string is converted from ISO 8859 to other parts and to UTF-8, and back") {
  check(std::string("\xa4 100"), from(CharSet::iso_8859_15, CharSet::utf_8),
        "00000008 e282ac2031303000");
  check(std::string("\xe9t\xe9"), from(CharSet::iso_8859_1, CharSet::iso_8859_2),
        "00000004 e974e900");
  check(std::string("\xbd"), from(CharSet::iso_8859_15, CharSet::utf_8), "00000003 c59300");
}

TEST_CASE(
    "every octet of every part of ISO 8859 survives a conversion through UTF-8, or is refused") {
  for (unsigned part = 1; part <= 16; ++part) {
    const auto set = cdr::char_set_of(0x00010000 + part);
    if (!set) continue;
    for (unsigned octet = 1; octet < 256; ++octet) {
      const std::string text(1, static_cast<char>(octet));
      const Encoded encoded = encode(text, from(*set, CharSet::utf_8));
      if (encoded.error != ErrorKind::none) {
        CHECK(octet >= cdr::code_page_start);
        continue;
      }
      cdr::Decoder decoder(encoded.octets, endian::big);
      decoder.set_code_sets(from(*set, CharSet::utf_8));
      std::string decoded;
      decoder >> decoded;
      CHECK(decoded == text);
    }
  }
}

TEST_CASE("a character beyond ASCII is converted at every position of a long text") {
  for (std::size_t before = 0; before < 20; ++before) {
    const std::string ascii(before, 'x');
    const auto [decoded, error] = [&] {
      const Encoded encoded = encode(ascii + "\u00e9" + ascii, to(CharSet::iso_8859_1));
      CHECK(encoded.octets.size() == 4 + 2 * before + 2);
      cdr::Decoder decoder(encoded.octets, endian::big);
      decoder.set_code_sets(to(CharSet::iso_8859_1));
      std::string text;
      decoder >> text;
      return std::pair(text, decoder.error().kind);
    }();
    CHECK(error == ErrorKind::none);
    CHECK(decoded == ascii + "\u00e9" + ascii);
  }
}

TEST_CASE("a character that the code set does not have is an error, and is not lost silently") {
  CHECK(encode(std::string("\u20ac"), to(CharSet::iso_8859_1)).error == ErrorKind::bad_character);
  CHECK(encode(std::string("\u00a4"), to(CharSet::iso_8859_15)).error == ErrorKind::bad_character);
  CHECK(encode(std::string("\u00e9"), to(CharSet::us_ascii)).error == ErrorKind::bad_character);
  CHECK(encode(std::string("\U0001d11e"), to(CharSet::iso_8859_2)).error ==
        ErrorKind::bad_character);
  CHECK(encode(std::string("a\0b", 3), to(CharSet::iso_8859_1)).error == ErrorKind::bad_string);
  CHECK(decode<std::string>("00000002 a500", to(CharSet::iso_8859_3)) ==
        std::pair(std::string(), ErrorKind::bad_character));
  CHECK(decode<std::string>("00000003 d09600", from(CharSet::iso_8859_1, CharSet::utf_8)) ==
        std::pair(std::string(), ErrorKind::bad_character));
  CHECK(decode<std::string>("00000002 e900", to(CharSet::us_ascii)).second ==
        ErrorKind::bad_character);
}

TEST_CASE("text that is converted must be valid UTF-8") {
  for (const char* text :
       {"\x80", "\xc3", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe2\x82",
        "\xe2\x28\xa1", "ab\xe9t\xe9 long enough"})
    CHECK(encode(std::string(text), to(CharSet::iso_8859_1)).error == ErrorKind::bad_character);
  CHECK(
      decode<std::string>("00000004 eda08000", from(CharSet::iso_8859_1, CharSet::utf_8)).second ==
      ErrorKind::bad_character);
}

TEST_CASE("a char is one octet on both sides, or an error") {
  check('A', to(CharSet::iso_8859_1), "41");
  check('\0', to(CharSet::iso_8859_1), "00");
  check('\xa4', from(CharSet::iso_8859_15, CharSet::iso_8859_16), "a4");
  check('\xbd', from(CharSet::iso_8859_15, CharSet::iso_8859_16), "bd");
  CHECK(encode('\xe9', to(CharSet::iso_8859_1)).error == ErrorKind::bad_character);
  CHECK(encode('\xe9', from(CharSet::iso_8859_1, CharSet::utf_8)).error ==
        ErrorKind::bad_character);
  CHECK(decode<char>("e9", to(CharSet::iso_8859_1)).second == ErrorKind::bad_character);
}

TEST_CASE("sequences of char and of string are converted element by element") {
  constexpr CodeSets code_sets = from(CharSet::iso_8859_1, CharSet::iso_8859_2);
  check(std::vector<char>{'a', '\xe9'}, code_sets, "00000002 61e9");
  check(std::vector<std::string>{"\xe9", ""}, code_sets, "00000002 00000002 e900 0000 00000001 00");
  CHECK(encode(std::vector<char>{'a', '\xe3'}, code_sets).error == ErrorKind::bad_character);
  CHECK(decode<std::vector<char>>("00000002 61e3", code_sets).second == ErrorKind::bad_character);
}

TEST_CASE("a borrowed string is a view of the octets, unless it has to be converted") {
  const Octets wire = from_hex("00000002 e900");
  std::string storage;
  cdr::Decoder plain(wire, endian::big);
  CHECK(plain.read_borrowed_string(storage) == "\xe9");
  CHECK(storage.empty());
  cdr::Decoder converting(wire, endian::big);
  converting.set_code_sets(to(CharSet::iso_8859_1));
  CHECK(converting.read_borrowed_string(storage) == "\u00e9");
}

TEST_CASE("code sets have the numbers of the OSF registry, and readable names") {
  CHECK(registry_number(CharSet::utf_8) == 0x05010001);
  CHECK(registry_number(CharSet::iso_8859_15) == 0x0001000f);
  CHECK(registry_number(CharSet::us_ascii) == 0x00010020);
  CHECK(registry_number(cdr::WideSet::utf_16) == 0x00010109);
  CHECK(cdr::char_set_of(0x00010001) == CharSet::iso_8859_1);
  CHECK_FALSE(cdr::char_set_of(0x0001000c).has_value());
  CHECK_FALSE(cdr::char_set_of(0x00030001).has_value());
  CHECK_FALSE(cdr::char_set_of(0).has_value());
  CHECK(cdr::wide_set_of(0x00010102) == cdr::WideSet::ucs_2);
  CHECK(cdr::wide_set_of(0x00010104) == cdr::WideSet::ucs_4);
  CHECK_FALSE(cdr::wide_set_of(0).has_value());
  for (const CharSet set : {CharSet::utf_8, CharSet::us_ascii, CharSet::iso_8859_16}) {
    CHECK(cdr::char_set_of(registry_number(set)) == set);
    CHECK(cdr::parse_char_set(name_of(set)) == set);
  }
  CHECK(cdr::parse_char_set("iso-8859-15") == CharSet::iso_8859_15);
  CHECK(cdr::parse_wide_set("utf-16") == cdr::WideSet::utf_16);
  for (const char* name : {"", "ISO-8859-", "ISO-8859-12", "ISO-8859-17", "ISO-8859-x", "latin1",
                           "ISO-8859-4294967297"})
    CHECK_FALSE(cdr::parse_char_set(name).has_value());
  CHECK_FALSE(cdr::parse_wide_set("UTF-7").has_value());
}
