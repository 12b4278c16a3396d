// The parts of the encoder that are calls anyway: strings, blocks, long double, failure.
#include <perigee/cdr/encoder.h>

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

}  // namespace

void Encoder::fail(ErrorKind kind) noexcept {
  if (error_.kind == ErrorKind::none) error_ = {kind, position()};
}

// CORBA 3.0, 15.3.2.7: the length counts the terminating NUL.
void Encoder::write_string(std::string_view text) {
  if (text.size() >= length_max) return fail(ErrorKind::too_large);
  if (!text.empty() && std::memchr(text.data(), 0, text.size()) != nullptr)
    return fail(ErrorKind::bad_string);
  if (code_sets_.converts()) [[unlikely]]
    return write_converted(text);
  write(static_cast<std::uint32_t>(text.size() + 1));
  std::byte* place = buffer_->extend(text.size() + 1);
  if (!text.empty()) std::memcpy(place, text.data(), text.size());
  place[text.size()] = std::byte{0};
}

void Encoder::write_octets(OctetSpan octets) {
  if (octets.empty()) return;
  if (borrowing_ == Borrowing::yes && octets.size() >= borrow_size_min)
    return buffer_->borrow(octets);
  std::memcpy(buffer_->extend(octets.size()), octets.data(), octets.size());
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

void Encoder::write_long_double(long double value) {
  align(8);
  QuadOctets quad = to_quad(value);
  if (swap_) std::ranges::reverse(quad);
  std::memcpy(buffer_->extend(quad.size()), quad.data(), quad.size());
}

}  // namespace perigee::cdr
