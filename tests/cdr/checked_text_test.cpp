// Strings and chars that a receiver checks: UTF-8 on both sides, which is not converted.
#include "support/octets.h"
#include <perigee/cdr/borrowed.h>
#include <perigee/cdr/operators.h>
#include <perigee/cdr/run.h>
#include <perigee/cdr/typecode.h>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

using namespace perigee;
using cdr::CharSet;
using cdr::CodeSets;
using cdr::ErrorKind;
using std::endian;

namespace {

struct CheckingEnvironment final : cdr::Environment {
  CheckingEnvironment() { checks_utf_8_ = true; }
};

/// Texts that are not well-formed UTF-8. Unicode 15.0, table 3-7.
const std::vector<std::string> ill_formed{"\x80",          // a continuation without a first octet
                                          "\xc3",          // cut
                                          "\xe2\x82",      // cut
                                          "\xf0\x9d\x84",  // cut
                                          "\xc0\xaf",      // overlong
                                          "\xe0\x9f\xbf",  // overlong
                                          "\xf0\x8f\xbf\xbf",  // overlong
                                          "\xed\xa0\x80",      // a surrogate
                                          "\xed\xbf\xbf",      // a surrogate
                                          "\xf4\x90\x80\x80",  // beyond U+10FFFF
                                          "\xf5\x80\x80\x80",  // beyond U+10FFFF
                                          "\xff",
                                          "\xe2\x28\xa1"};

const std::vector<std::string> well_formed{"",
                                           "a",
                                           "plain text that is longer than a word",
                                           "\u00e9",
                                           "\u20ac",
                                           "\U0001d11e",
                                           "\xf4\x8f\xbf\xbf",
                                           "\xed\x9f\xbf\xee\x80\x80"};

template <typename T>
Octets encoded(const T& value) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << value;
  REQUIRE(encoder.ok());
  return buffer.flatten();
}

template <typename T>
ErrorKind decode(const Octets& octets, T& value, CodeSets code_sets = {}) {
  CheckingEnvironment environment;
  cdr::Decoder decoder(octets, endian::native);
  decoder.set_environment(&environment);
  decoder.set_code_sets(code_sets);
  decoder >> value;
  return decoder.error().kind;
}

/// Checks that `value` arrives, or that its decoding fails with `bad_character`.
template <typename T>
void check(const T& value, bool arrives) {
  T read{};
  CHECK(decode(encoded(value), read) == (arrives ? ErrorKind::none : ErrorKind::bad_character));
  if (arrives) CHECK(read == value);
}

/// The marshalling that the IDL compiler generates for a struct.
struct Pair {
  char letter;
  char other;
  std::int16_t number;
};
struct PairWire {
  static constexpr std::size_t alignment = 2;
  static constexpr std::size_t phase = 0;
  static constexpr std::size_t block_size = 4;
  static constexpr bool is_image = true;
  static constexpr bool has_characters = true;
  static constexpr cdr::RunSizes sizes{4, 5, 4, 5, 4, 5, 4, 5};
  static void members(auto& run, auto& value) {
    run.field(value.letter);
    run.field(value.other);
    run.align(2);
    run.field(value.number);
  }
  static void block(auto& run, auto& value) { run.copy(0, &value, 0, 4); }
};

ErrorKind decode_pairs(const Octets& octets, std::span<Pair> pairs, endian order) {
  CheckingEnvironment environment;
  cdr::Decoder decoder(octets, order);
  decoder.set_environment(&environment);
  cdr::read_structs<PairWire>(decoder, pairs.data(), pairs.size());
  return decoder.error().kind;
}

}  // namespace

TEST_CASE("a string that arrives in UTF-8 must be well-formed") {
  for (const std::string& text : well_formed) check(text, true);
  for (const std::string& text : ill_formed) check(text, false);
}

TEST_CASE("octets that are not UTF-8 are found at each position of short and long strings") {
  for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 15U, 31U, 1100U, 9000U})
    for (const std::size_t behind : {0U, 1U, 8U, 140U, 1200U}) {
      const std::string before(size, 'x');
      const std::string after(behind, 'y');
      check(before + "\xc3" + after, false);
      check(before + "\u00e9" + after, true);
    }
}

TEST_CASE("a char that arrives in UTF-8 must be ASCII") {
  check('A', true);
  check('\0', true);
  check('\xc3', false);
  check(std::vector<char>{'a', 'b', '\x7f'}, true);
  check(std::vector<char>{'a', '\xc3', '\xa9'}, false);
  check(std::array<char, 2>{'a', '\xff'}, false);
}

TEST_CASE("the elements of sequences of strings are checked") {
  check(std::vector<std::string>{"a", "\u00e9"}, true);
  check(std::vector<std::string>{"a", "\xe9", "b"}, false);
}

TEST_CASE("borrowed strings and borrowed sequences of char are checked") {
  cdr::BorrowedString text;
  const Octets good = encoded(std::string("\u00e9"));
  CHECK(decode(good, text) == ErrorKind::none);
  CHECK(std::string_view(text) == "\u00e9");
  CHECK(decode(encoded(std::string("\xe9")), text) == ErrorKind::bad_character);
  CHECK(std::string_view(text).empty());
  cdr::BorrowedSequence<char> letters;
  CHECK(decode(encoded(std::vector<char>{'a', '\xe9'}), letters) == ErrorKind::bad_character);
}

TEST_CASE("the characters of structs of fixed size are checked") {
  std::array<Pair, 2> pairs{};
  const Octets good = test::from_hex("6162 ffff 6364 8080");
  const Octets bad = test::from_hex("6162 ffff 63e9 8080");
  for (const endian order : {endian::little, endian::big}) {
    CHECK(decode_pairs(good, pairs, order) == ErrorKind::none);
    CHECK(pairs[1].other == 'd');
    CHECK(decode_pairs(bad, pairs, order) == ErrorKind::bad_character);
    CHECK(decode_pairs(bad, std::span(pairs).first(1), order) == ErrorKind::none);
  }
}

TEST_CASE("a walk over a value checks its strings and chars") {
  const Octets octets = encoded(std::string("\xe9"));
  CheckingEnvironment environment;
  cdr::Decoder decoder(octets, endian::native);
  decoder.set_environment(&environment);
  cdr::skip_value(decoder, cdr::TypeNode{.kind = cdr::TypeKind::tk_string});
  CHECK(decoder.error().kind == ErrorKind::bad_character);
}

TEST_CASE("other code sets, calls within the process and plain decoders have no check of UTF-8") {
  const Octets octets = encoded(std::string("\xe9"));
  std::string text;
  CHECK(decode(octets, text, {CharSet::iso_8859_1, CharSet::iso_8859_1}) == ErrorKind::none);
  CHECK(text == "\xe9");
  CHECK(decode(octets, text, {.chars = CharSet::iso_8859_1}) == ErrorKind::none);
  CHECK(text == "\u00e9");
  CHECK(decode(octets, text, {.wide = cdr::WideSet::native}) == ErrorKind::none);
  CHECK(text == "\xe9");
  cdr::Decoder plain(octets, endian::native);
  CHECK(plain.read_checked_string() == "\xe9");
}

TEST_CASE("an encapsulation in a message is checked like the message") {
  CheckingEnvironment environment;
  const Octets whole = test::from_hex("0a000000 01 000000 02000000 e900");
  cdr::Decoder decoder(whole, endian::little);
  decoder.set_environment(&environment);
  cdr::Decoder nested = decoder.read_encapsulation();
  std::string text;
  nested.read_string(text);
  CHECK(nested.error().kind == ErrorKind::bad_character);
}

TEST_CASE("identifiers are read without a check: they have no code set") {
  const Octets octets = encoded(std::string("IDL:\xe9:1.0"));
  CheckingEnvironment environment;
  cdr::Decoder decoder(octets, endian::native);
  decoder.set_environment(&environment);
  CHECK(decoder.read_string_view() == "IDL:\xe9:1.0");
}
