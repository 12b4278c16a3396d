// Converts by way of Unicode, one character at a time. A run of ASCII, which is the same in all
// code sets, is found word by word and copied at once.
#include "cdr/text_conversion.h"

#include "cdr/code_pages.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace perigee::cdr {

char32_t take_utf_8(std::string_view& text) noexcept {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return no_character;
  char32_t character = first & (0xffu >> (size + 1));
  for (std::size_t index = 1; index < size; ++index) {
    const auto octet = static_cast<unsigned char>(text[index]);
    if ((octet & 0xc0) != 0x80) return no_character;
    character = character << 6 | (octet & 0x3f);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  if (character < least[size] || character > character_max || is_surrogate(character))
    return no_character;
  text.remove_prefix(size);
  return character;
}

namespace {

const CodePage& page_of(CharSet set) noexcept {
  const auto part = static_cast<std::size_t>(set);
  return code_pages[part < 12 ? part - 2 : part - 3];
}

std::size_t ascii_prefix(std::string_view text) noexcept {
  std::size_t size = 0;
  for (std::uint64_t word = 0; text.size() - size >= sizeof word; size += sizeof word) {
    std::memcpy(&word, text.data() + size, sizeof word);
    if ((word & 0x8080808080808080u) != 0) break;
  }
  while (size < text.size() && static_cast<unsigned char>(text[size]) < 0x80) ++size;
  return size;
}

char32_t take_character(CharSet set, std::string_view& text) noexcept {
  if (set == CharSet::utf_8) return take_utf_8(text);
  const auto octet = static_cast<unsigned char>(text[0]);
  text.remove_prefix(1);
  if (set == CharSet::us_ascii) return no_character;
  if (set == CharSet::iso_8859_1 || octet < code_page_start) return octet;
  const char32_t character = page_of(set)[octet - code_page_start];
  return character == 0 ? no_character : character;
}

char* put_utf_8(char32_t character, char* place) noexcept {
  const auto put = [&place](char32_t octet) { *place++ = static_cast<char>(octet); };
  const auto put_tail = [&](unsigned shift) { put(0x80 | (character >> shift & 0x3f)); };
  if (character < 0x800) {
    put(0xc0 | character >> 6);
  } else {
    if (character < 0x10000) {
      put(0xe0 | character >> 12);
    } else {
      put(0xf0 | character >> 18);
      put_tail(12);
    }
    put_tail(6);
  }
  put_tail(0);
  return place;
}

/// Writes the character; nullptr if the set does not contain it.
char* put_character(CharSet set, char32_t character, char* place) noexcept {
  if (set == CharSet::utf_8) return put_utf_8(character, place);
  if (set == CharSet::us_ascii) return nullptr;
  const bool as_unicode = character < (set == CharSet::iso_8859_1 ? 0x100u : code_page_start);
  if (as_unicode) {
    *place = static_cast<char>(character);
    return place + 1;
  }
  if (set == CharSet::iso_8859_1) return nullptr;
  const CodePage& page = page_of(set);
  const auto found = std::ranges::find(page, character);
  if (found == page.end()) return nullptr;
  *place = static_cast<char>(code_page_start + static_cast<std::size_t>(found - page.begin()));
  return place + 1;
}

}  // namespace

bool is_utf_8(std::string_view text) noexcept {
  for (;;) {
    text.remove_prefix(ascii_prefix(text));
    if (text.empty()) return true;
    if (take_utf_8(text) == no_character) return false;
  }
}

void append_utf_8(std::string& text, char32_t character) {
  std::array<char, 4> octets;
  const bool is_ascii = character < 0x80;
  if (is_ascii) octets[0] = static_cast<char>(character);
  char* const end = is_ascii ? &octets[1] : put_utf_8(character, octets.data());
  text.append(octets.data(), end);
}

// An octet beyond ASCII in a single-octet set takes up to three octets in UTF-8.
std::size_t converted_size_max(std::string_view text, CharSet to) noexcept {
  if (to != CharSet::utf_8) return text.size();
  const auto others = std::ranges::count_if(
      text, [](char octet) { return static_cast<unsigned char>(octet) >= 0x80; });
  return text.size() + 2 * static_cast<std::size_t>(others);
}

char* convert_text(std::string_view text, CharSet from, CharSet to, char* place) noexcept {
  for (;;) {
    const std::size_t run = ascii_prefix(text);
    if (run != 0) std::memcpy(place, text.data(), run);
    place += run;
    text.remove_prefix(run);
    if (text.empty()) return place;
    const char32_t character = take_character(from, text);
    if (character == no_character) return nullptr;
    place = put_character(to, character, place);
    if (place == nullptr) return nullptr;
  }
}

}  // namespace perigee::cdr
