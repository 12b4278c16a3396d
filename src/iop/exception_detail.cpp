// The text of a system exception on the wire. Reading stops at the limit, whatever size the octets
// announce.
#include "cdr/text_conversion.h"
#include "cdr/unit_reader.h"
#include <perigee/base/printable.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/iop/exception_detail.h>

#include <bit>

namespace perigee::iop {

namespace {

constexpr char32_t replacement = 0xfffd;

/// Takes the character at the front of a text in UTF-8, which must not be empty. An invalid octet
/// counts as one character.
char32_t take_character(std::string_view& text) noexcept {
  const auto first = static_cast<unsigned char>(text.front());
  const char32_t character = first < 0x80 ? first : cdr::take_utf_8(text);
  if (first < 0x80 || character == cdr::no_character) text.remove_prefix(1);
  return character == cdr::no_character ? replacement : character;
}

// C1 controls act on terminals. The other characters begin lines, or change the direction of text.
constexpr bool disturbs_lines(char32_t character) noexcept {
  return (character >= 0x80 && character < 0xa0) || (character >= 0x2028 && character <= 0x202e) ||
         (character >= 0x2066 && character <= 0x2069);
}

void append_shown(std::string& text, char32_t character) {
  if (character < 0x20 || character == 0x7f)
    append_escape(text, character, '"');
  else
    cdr::append_utf_8(text, disturbs_lines(character) ? replacement : character);
}

}  // namespace

Octets encode_exception_detail(std::string_view text) {
  std::wstring characters;
  while (!text.empty() && characters.size() < exception_detail_size_max) {
    const char32_t character = take_character(text);
    if (character != 0) characters += static_cast<wchar_t>(character);
  }
  return cdr::encode_encapsulation(std::endian::native, [&characters](cdr::Encoder& encoder) {
    encoder.write_wide_string(characters);  // UTF-16 in the form of GIOP 1.2: the default
  });
}

std::string decode_exception_detail(OctetSpan data) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data);
  const OctetSpan octets = decoder.read_octet_sequence();  // GIOP 1.2: the size in octets
  if (!decoder.ok() || octets.size() % 2 != 0) return {};
  std::string text;
  auto reader = cdr::UnitReader::marked(octets, cdr::WideSet::utf_16);
  for (std::size_t left = exception_detail_size_max; left != 0 && !reader.empty(); --left) {
    const auto character = reader.take();
    if (!character) return {};
    append_shown(text, *character);
  }
  return text;
}

}  // namespace perigee::iop
