// Strings and characters whose code set in memory differs from the code set on the wire: the slow
// path of Encoder and Decoder. Both code sets extend ASCII, so a NUL is the same in each.
#include "cdr/text_conversion.h"
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>

#include <array>

namespace perigee::cdr {

namespace {

/// NUL if the character is invalid in `from`, or does not have exactly one octet in `to`. In UTF-8
/// only an ASCII character has one octet.
char convert_character(char character, CharSet from, CharSet to) noexcept {
  if (static_cast<unsigned char>(character) < 0x80) return character;
  std::array<char, 3> place;
  const char* const end = convert_text({&character, 1}, from, to, place.data());
  return end == place.data() + 1 ? place[0] : '\0';
}

}  // namespace

char Encoder::converted(char character) noexcept {
  const char result = convert_character(character, code_sets_.native, code_sets_.chars);
  if (result == '\0' && character != '\0') fail(ErrorKind::bad_character);
  return result;
}

char Decoder::converted(char character) noexcept {
  if (!code_sets_.converts()) {
    if (!checks_utf_8()) return character;
    fail(ErrorKind::bad_character);
    return '\0';
  }
  const char result = convert_character(character, code_sets_.chars, code_sets_.native);
  if (result == '\0' && character != '\0') fail(ErrorKind::bad_character);
  return result;
}

// The text must not contain a NUL.
void Encoder::write_converted(std::string_view text) {
  write(std::uint32_t{0});
  const std::size_t length_offset = buffer_->own_size() - 4;
  char* const place =
      reinterpret_cast<char*>(buffer_->reserve(converted_size_max(text, code_sets_.chars) + 1));
  char* const end = convert_text(text, code_sets_.native, code_sets_.chars, place);
  if (end == nullptr) return fail(ErrorKind::bad_character);
  *end = '\0';
  const auto size = static_cast<std::size_t>(end - place) + 1;
  if (size > length_max) return fail(ErrorKind::too_large);
  buffer_->advance(size);
  patch(length_offset, static_cast<std::uint32_t>(size));
}

void Decoder::convert(std::string_view octets, std::string& text) {
  text.resize(converted_size_max(octets, code_sets_.native));
  const char* const end = convert_text(octets, code_sets_.chars, code_sets_.native, text.data());
  if (end == nullptr) {
    text.clear();
    return fail(ErrorKind::bad_character);
  }
  text.resize(static_cast<std::size_t>(end - text.data()));
}

}  // namespace perigee::cdr
