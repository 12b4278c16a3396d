// The out-of-line parts of the encoder: strings, blocks, long double, failure.
#include "text_copy.h"
#include <perigee/base/copy.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/text_run.h>

#include <algorithm>

namespace perigee::cdr {

namespace {

template <typename Word>
void copy_reversed(std::byte* destination, OctetSpan source) {
  for (std::size_t offset = 0; offset < source.size(); offset += sizeof(Word)) {
    Word word;
    std::memcpy(&word, source.data() + offset, sizeof word);
    word = reverse_octets(word);
    std::memcpy(destination + offset, &word, sizeof word);
  }
}

/// False if there is a NUL inside. Words of 4 octets serve texts of 4 to 8 octets, words of 8 serve
/// texts of 8 to 16.
template <typename Word>
bool copy_words_without_nul(std::byte* place, std::string_view text) {
  constexpr std::uint64_t above = sizeof(Word) == 8 ? 0 : 0xffffffff00000000;
  const auto [first, last] = copy_as_words<Word>(place, text);
  return !has_zero_octet(first | above) && !has_zero_octet(last | above);
}

/// False if there is a NUL inside. Most texts are short: for these, a function call costs more than
/// the copy.
bool copy_without_nul(std::byte* place, std::string_view text) {
  if (text.size() >= long_text_min) return copy_long_text(place, text) != CopiedText::has_nul;
  if (text.size() > 16) {
    std::memcpy(place, text.data(), text.size());
    return std::memchr(text.data(), 0, text.size()) == nullptr;
  }
  if (text.size() >= 8) return copy_words_without_nul<std::uint64_t>(place, text);
  if (text.size() >= 4) return copy_words_without_nul<std::uint32_t>(place, text);
  bool has_nul = false;
  for (const char character : text) {
    has_nul = has_nul || character == '\0';
    *place++ = static_cast<std::byte>(character);
  }
  return !has_nul;
}

}  // namespace

void Encoder::fail(ErrorKind kind) noexcept {
  if (error_.kind == ErrorKind::none) error_ = {kind, position()};
}

ErrorKind copy_text(std::byte* place, const std::string& text) noexcept {
  if (text.size() >= Encoder::length_max) return ErrorKind::too_large;
  return copy_without_nul(place, text) ? ErrorKind::none : ErrorKind::bad_string;
}

// CORBA 3.0, 15.3.2.7: the length counts the terminating NUL.
void Encoder::write_string(std::string_view text) {
  if (text.size() >= length_max) return fail(ErrorKind::too_large);
  if (code_sets_.converts()) [[unlikely]] {
    if (text.find('\0') != std::string_view::npos) return fail(ErrorKind::bad_string);
    return write_converted(text);
  }
  const std::size_t padding = (0 - position()) & 3U;
  const auto size = static_cast<std::uint32_t>(text.size() + 1);
  std::byte* place = buffer_->reserve(3 + sizeof size + size);
  std::memset(place, 0, sizeof size);  // the padding, and octets that are overwritten later
  place += padding;
  const std::uint32_t length = swap_ ? reverse_octets(size) : size;
  std::memcpy(place, &length, sizeof length);
  if (!copy_without_nul(place + sizeof length, text)) return fail(ErrorKind::bad_string);
  place[sizeof length + text.size()] = std::byte{0};
  buffer_->advance(padding + sizeof length + size);
}

bool Encoder::borrows(std::string_view text) const noexcept {
  return text.size() >= borrow_size_min_ && text.size() < length_max && !code_sets_.converts();
}

void Encoder::write_lasting_string(std::string_view text) {
  if (!borrows(text)) return write_string(text);
  if (std::memchr(text.data(), 0, text.size()) != nullptr) return fail(ErrorKind::bad_string);
  write(static_cast<std::uint32_t>(text.size() + 1));
  buffer_->borrow(std::as_bytes(std::span(text)));
  *buffer_->extend(1) = std::byte{0};
}

// The string's own NUL is borrowed with it, which saves one segment.
void Encoder::write_lasting_string(const std::string& text) {
  if (!borrows(text)) return write_string(text);
  if (text.find('\0') != std::string::npos) return fail(ErrorKind::bad_string);
  const std::span whole(text.c_str(), text.size() + 1);
  write(static_cast<std::uint32_t>(whole.size()));
  buffer_->borrow(std::as_bytes(whole));
}

void Encoder::write_octets(OctetSpan octets) {
  if (octets.empty()) return;
  if (octets.size() >= borrow_size_min_) return buffer_->borrow(octets);
  write_copied_octets(octets);
}

void Encoder::write_copied_octets(OctetSpan octets) {
  if (octets.empty()) return;
  copy_octets(buffer_->extend(octets.size()), octets.data(), octets.size());
}

void Encoder::write_swapped(OctetSpan octets, std::size_t element_size) {
  std::byte* place = buffer_->extend(octets.size());
  switch (element_size) {
    case 2:
      return copy_reversed<std::uint16_t>(place, octets);
    case 4:
      return copy_reversed<std::uint32_t>(place, octets);
    default:
      return copy_reversed<std::uint64_t>(place, octets);
  }
}

void Encoder::write_quad(QuadOctets quad) {
  align(8);
  if (swap_) std::ranges::reverse(quad);
  std::memcpy(buffer_->extend(quad.size()), quad.data(), quad.size());
}

}  // namespace perigee::cdr
