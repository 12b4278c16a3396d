// The out-of-line parts of the decoder: strings, encapsulations, long double, failure.
#include "fixed_octets.h"
#include "text_conversion.h"
#include "text_copy.h"
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/landed_sequence.h>

#include <algorithm>
#include <new>
#include <utility>

namespace perigee::cdr {

void Decoder::fail(ErrorKind kind) noexcept {
  if (error_.kind == ErrorKind::none) error_ = {kind, position_};
  position_ = octets_.size();
  beyond_ = 0;
  if (landed() != nullptr) part_ = nullptr;
}

void Decoder::set_pieces(const std::size_t* sizes) noexcept {
  const std::uint64_t most = decoded_max();
  decoded_size_max_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, ~std::uint32_t{0}));
  beyond_ = octets_.size() - sizes[0];
  octets_ = octets_.first(sizes[0]);
  next_sizes_ = sizes + 1;
}

void Decoder::set_landed(LandedSequence& landed) noexcept {
  part_ = &landed;
  beyond_ = landed.size();
}

// Doubles the memory that was granted, up to the limit of the message, so that a message seldom
// asks for more. If the budget has no room for this, asks only for what is needed.
void Decoder::ask_for_memory(std::uint64_t octets) noexcept {
  if (!ok()) return;
  constexpr std::uint64_t spare_max = std::uint64_t{1} << 30;
  const std::uint64_t needed = charged() + octets;
  const std::uint64_t most = decoded_max();
  if (needed > most) return fail(ErrorKind::too_much_memory);
  const std::uint64_t doubled = std::min({2 * granted_kib_ * kib, most, needed + spare_max});
  if (!is_granted(std::max(needed, doubled)) && !is_granted(needed))
    return fail(ErrorKind::memory_full);
  memory_left_ = static_cast<std::uint32_t>(granted_kib_ * kib - needed);
}

// Rounds up to KiB.
bool Decoder::is_granted(std::uint64_t octets) noexcept {
  const std::uint64_t wanted_kib = (octets + kib - 1) / kib;
  DecodedBudget* const budget = environment_ == nullptr ? nullptr : environment_->decoded_budget();
  const bool is_counted = budget != nullptr && decoded_memory_ != nullptr;
  if (is_counted && !decoded_memory_->try_charge(*budget, (wanted_kib - granted_kib_) * kib))
    return false;
  granted_kib_ = static_cast<std::uint32_t>(wanted_kib);
  return true;
}

LandedSequence* Decoder::pass_landed(std::size_t size) noexcept {
  if (part_ == nullptr || beyond_ != size || position_ != octets_.size()) return nullptr;
  LandedSequence* const passed = landed();
  if (passed == nullptr) return nullptr;
  beyond_ = 0;
  part_ = nullptr;
  return passed;
}

LandedSequence* Decoder::landed() const noexcept {
  const bool is_landed = part_ != nullptr && part_->kind() == DecoderPart::Kind::landed;
  return is_landed ? static_cast<LandedSequence*>(part_) : nullptr;
}

bool Decoder::join_landed() noexcept {
  LandedSequence& landed = *this->landed();
  part_ = nullptr;
  if (landed.is_linked()) {
    charge(landed.size());
    if (!ok()) return false;
  } else if (SequenceMemory* const memory = sequence_memory()) {
    memory->forget_place(landed.place());
  }
  const OctetSpan whole = landed.join(octets_);
  if (whole.empty()) {
    fail(ErrorKind::truncated);
    return false;
  }
  octets_ = whole;
  beyond_ = 0;
  return true;
}

// The elements begin at the position `start`, and have `size` octets each. Empty: they are not
// linked, or cannot be viewed; then nothing is read.
OctetSpan Decoder::view_linked(std::size_t start, std::size_t count, std::size_t size) noexcept {
  LandedSequence* const sequence = landed();
  if (sequence == nullptr || !sequence->is_linked() || start != octets_.size()) return {};
  const OctetSpan linked = sequence->linked();
  const auto address = reinterpret_cast<std::uintptr_t>(linked.data());
  const bool is_aligned = address % size == 0;
  if (linked.size() / size != count || linked.size() % size != 0 || !is_aligned) return {};
  if (size > 1 ? swap_ : code_sets_.converts()) return {};
  position_ = start;
  (void)pass_landed(linked.size());
  return linked;
}

Decoder Decoder::copy_into(Copied& copy) const {
  if (landed() != nullptr) {
    Decoder joined = *this;
    if (!joined.join_landed()) throw std::bad_alloc();
    return joined.copy_into(copy);
  }
  const std::byte* const begin = octets_.data();
  copy.octets.assign(begin, begin + octets_.size() + beyond_);
  copy.piece_sizes.clear();
  std::size_t left = beyond_;
  for (const std::size_t* size = next_sizes_; size != nullptr && left != 0; left -= *size++)
    copy.piece_sizes.push_back(*size);
  Decoder decoder = *this;
  decoder.part_ = nullptr;  // the values of the message may end before the copy
  decoder.decoded_memory_ = nullptr;
  decoder.octets_ = OctetSpan(copy.octets).first(octets_.size());
  decoder.next_sizes_ = copy.piece_sizes.data();
  return decoder;
}

bool Decoder::begin_next_piece(std::size_t alignment) noexcept {
  if (beyond_ == 0) {
    fail(ErrorKind::truncated);
    return false;
  }
  if (landed() != nullptr) return join_landed();
  if (reads_chunks()) return begin_next_chunk(alignment);
  if (next_sizes_ == nullptr) {
    fail(ErrorKind::bad_value);
    return false;
  }
  // Alignment counts from the piece's header of 12 octets, which is not in memory here. 12 and 4
  // are equal modulo 8, the largest alignment. So the 4 octets before the piece replace the header.
  constexpr std::size_t header = 4;
  const std::byte* const begin = octets_.data() + octets_.size();
  octets_ = {begin - header, header + *next_sizes_};
  position_ = header;
  beyond_ -= *next_sizes_++;
  return true;
}

// Chunks may be so short that they hold only padding.
bool Decoder::find_number(std::size_t size) noexcept {
  do {
    if (!begin_next_piece(size)) return false;
  } while (((position_ + size - 1) & ~(size - 1)) + size > octets_.size());
  return true;
}

// A number that follows the end of a piece begins in the next piece, which may have padding before
// the number. Octets have no alignment: `read_octets_of_pieces` goes to the next piece for them.
void Decoder::align_at_end(std::size_t alignment) noexcept {
  for (;;) {
    const std::size_t padding = (0 - position_) & (alignment - 1);
    const std::size_t here = octets_.size() - position_;
    const bool has_next_piece = (next_sizes_ != nullptr || reads_chunks()) && beyond_ != 0;
    const bool is_at_end = padding > here || (padding == here && alignment > 1 && has_next_piece);
    if (!is_at_end) {
      position_ += padding;
      return;
    }
    if (!begin_next_piece(alignment)) return;
  }
}

OctetSpan Decoder::read_octets_of_pieces(std::size_t count, std::size_t element_size) noexcept {
  if (count > remaining()) {
    fail(ErrorKind::truncated);
    return {};
  }
  if (landed() != nullptr) return join_landed() ? read_octets(count) : OctetSpan();
  if (reads_chunks()) return read_octets_of_chunks(count, element_size);
  const OctetSpan view(octets_.data() + position_, count);
  std::size_t left = count;
  while (left > octets_.size() - position_) {
    left -= octets_.size() - position_;
    if (!begin_next_piece(1)) return {};
  }
  position_ += left;
  return view;
}

// CORBA 3.0, 15.3.2.7: the length counts the terminating NUL.
[[gnu::always_inline]] inline std::string_view Decoder::read_text(std::size_t size) noexcept {
  const OctetSpan octets = read_octets(size);
  if (octets.empty()) return {};  // also if there was no memory to join a landed message
  const auto* text = reinterpret_cast<const char*>(octets.data());
  if (std::memchr(text, 0, size) == text + size - 1) return {text, size - 1};
  fail(ErrorKind::bad_string);
  return {};
}

// Most texts are ASCII. The environment is asked only about a text that is not.
[[gnu::always_inline]] inline bool Decoder::check_text(std::string_view text) noexcept {
  if (is_ascii(text) || !checks_utf_8() || is_utf_8(text)) [[likely]]
    return true;
  fail(ErrorKind::bad_character);
  return false;
}

// In UTF-8 only an ASCII character has one octet.
void Decoder::check_characters(std::span<const char> characters) noexcept {
  if (!is_ascii({characters.data(), characters.size()}) && checks_utf_8())
    fail(ErrorKind::bad_character);
}

std::string_view Decoder::read_string_view() noexcept { return read_text(read_length(1)); }

// Most texts are short and ASCII: one pass checks them.
[[gnu::always_inline]] inline std::string_view Decoder::read_checked_text(
    std::size_t size) noexcept {
  const auto* const octets = reinterpret_cast<const char*>(octets_.data() + position_);
  const std::size_t readable = octets_.size() - position_;
  if (size <= readable && is_short_ascii_string(octets, size, readable)) [[likely]] {
    position_ += size;
    return {octets, size - 1};
  }
  const std::string_view text = read_text(size);
  return check_text(text) ? text : std::string_view();
}

std::string_view Decoder::read_checked_string() noexcept {
  return read_checked_text(read_length(1));
}

void Decoder::read_string(std::string& text) {
  const std::size_t size = read_length(1);
  if (size > long_text_min && !code_sets_.converts()) return copy_long(size, text);
  if (code_sets_.converts()) [[unlikely]]
    return convert(read_text(size), text);
  const std::string_view octets = read_checked_text(size);
  text.resize_and_overwrite(octets.size(), [octets](char* place, std::size_t) noexcept {
    copy_text(place, octets);
    return octets.size();  // GCC 12 may pass a larger size than the requested one
  });
}

void Decoder::copy_long(std::size_t size, std::string& text) {
  const auto* octets = reinterpret_cast<const char*>(read_octets(size).data());
  text.clear();
  if (octets == nullptr) return;  // there was no memory to join a landed message
  CopiedText copied = CopiedText::has_nul;
  const std::size_t length = size - 1;  // GCC 12 may pass a larger size to the function
  text.resize_and_overwrite(length, [&](char* place, std::size_t) noexcept {
    if (octets[length] == '\0') copied = copy_long_text(place, {octets, length});
    return copied != CopiedText::has_nul ? length : 0;
  });
  if (copied == CopiedText::has_nul) return fail(ErrorKind::bad_string);
  if (copied == CopiedText::ascii || !checks_utf_8() || is_utf_8(text)) return;
  text.clear();
  fail(ErrorKind::bad_character);
}

// The pieces of a message follow each other in memory, so the end of the number is found without a
// read.
OctetSpan Decoder::read_fixed(int digits) noexcept {
  const auto size_max = static_cast<std::size_t>(digits) / 2 + 1;
  if (size_max > octets_.size() - position_) {
    if (landed() != nullptr && !join_landed()) return {};
    if (reads_chunks()) return read_fixed_of_chunks(size_max);
  }
  const std::size_t size = std::min(size_max, remaining());
  const FixedEnd end = find_fixed_end({octets_.data() + position_, size});
  if (end.kind == FixedOctet::last) return read_octets(end.size);
  const bool is_cut = end.kind == FixedOctet::digits && size < size_max;
  fail(is_cut ? ErrorKind::truncated : ErrorKind::bad_value);
  return {};
}

Decoder Decoder::read_encapsulation() noexcept {
  const OctetSpan contents = read_octet_sequence();
  if (!ok()) return failed(error_.kind);
  if (depth_left_ == 0) {
    fail(ErrorKind::too_deep);
    return failed(ErrorKind::too_deep);
  }
  Limits limits = limits_left();
  --limits.depth_max;
  Decoder nested = from_encapsulation(contents, limits);
  nested.environment_ = environment_;
  nested.code_sets_ = code_sets_;
  if (!nested.ok()) fail(nested.error_.kind);
  return nested;
}

// CORBA 3.0, 15.3.3: the first octet says the byte order, and alignment counts from it.
Decoder Decoder::from_encapsulation(OctetSpan octets, Limits limits) noexcept {
  if (octets.empty() || std::to_integer<unsigned>(octets[0]) > 1)
    return failed(ErrorKind::bad_encapsulation);
  const bool little = octets[0] == std::byte{1};
  return Decoder(octets, little ? std::endian::little : std::endian::big, 1, limits);
}

Decoder Decoder::failed(ErrorKind kind) noexcept {
  Decoder decoder;
  decoder.fail(kind);
  return decoder;
}

QuadOctets Decoder::read_quad() noexcept {
  align(8);
  QuadOctets quad{};
  std::ranges::copy(read_octets(sizeof(QuadOctets)), quad.begin());
  if (swap_) std::ranges::reverse(quad);
  return quad;
}

}  // namespace perigee::cdr
