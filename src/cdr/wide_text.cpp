// wchar and wstring in the forms of GIOP 1.1 and 1.2. CORBA 3.0, 15.3.1.6 and 15.3.2.7.
//
// 1.1: units of a fixed size, aligned, in the byte order of the stream. A string begins with the
//      number of units, which includes a NUL.
// 1.2: the number of octets (in an octet for a character, in a ulong for a string), then the
//      octets, unaligned and without a NUL. They are big-endian unless a byte order mark says
//      otherwise.
#include "cdr/text_conversion.h"
#include "cdr/unit_reader.h"
#include <perigee/base/copy.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>

#include <array>
#include <optional>

namespace perigee::cdr {

namespace {

static_assert(sizeof(wchar_t) == 4, "a wchar_t is taken for a Unicode code point");

constexpr char32_t reversed_mark = 0xfffe;  // the mark of UTF-16 in the other byte order
constexpr std::size_t character_octets_max = 3 * sizeof(std::uint32_t);

/// The number of units of the character; 0 if the set does not contain it.
constexpr std::size_t unit_count(WideSet set, char32_t character) noexcept {
  if (character > character_max || is_surrogate(character)) return 0;
  if (character < 0x10000 || set == WideSet::ucs_4) return 1;
  return set == WideSet::utf_16 ? 2 : 0;
}

/// Whether the first character of a text could be mistaken for a byte order mark.
constexpr bool needs_mark(WideSet set, char32_t first) noexcept {
  return first == byte_order_mark || (first == reversed_mark && unit_size(set) == 2);
}

template <typename Unit>
std::byte* put_unit(std::byte* place, char32_t value, bool swap) noexcept {
  auto unit = static_cast<Unit>(value);
  if (swap) unit = reverse_octets(unit);
  std::memcpy(place, &unit, sizeof unit);
  return place + sizeof unit;
}

/// Writes a character that the set contains.
std::byte* put_character(std::byte* place, WideSet set, char32_t character, bool swap) noexcept {
  if (unit_size(set) == 4) return put_unit<std::uint32_t>(place, character, swap);
  if (character < 0x10000) return put_unit<std::uint16_t>(place, character, swap);
  const char32_t offset = character - 0x10000;
  place = put_unit<std::uint16_t>(place, 0xd800 + (offset >> 10), swap);
  return put_unit<std::uint16_t>(place, 0xdc00 + (offset & 0x3ff), swap);
}

ErrorKind usable(CodeSets code_sets) noexcept {
  // GIOP 1.0: interop fact 28 of docs/interop.md.
  if (code_sets.giop_minor == 0) return ErrorKind::not_in_version;
  return code_sets.wide == WideSet::none ? ErrorKind::no_code_set : ErrorKind::none;
}

/// The number of octets of a text in a set, or the reason why it cannot be written.
struct Measure {
  std::size_t size = 0;
  ErrorKind error = ErrorKind::none;
};

Measure measure(std::wstring_view text, WideSet set) noexcept {
  Measure result;
  for (const wchar_t character : text) {
    const std::size_t count = unit_count(set, static_cast<char32_t>(character));
    if (count == 0) return {0, ErrorKind::bad_character};
    if (character == L'\0') return {0, ErrorKind::bad_string};
    result.size += count * unit_size(set);
  }
  return result;
}

}  // namespace

void Encoder::write_wide_character(wchar_t wide) {
  const auto character = static_cast<char32_t>(wide);
  const WideSet set = code_sets_.wide;
  if (const ErrorKind error = usable(code_sets_); error != ErrorKind::none) return fail(error);
  if (set == WideSet::native) return write(static_cast<std::uint32_t>(character));
  const std::size_t count = unit_count(set, character);
  const bool fixed = code_sets_.giop_minor == 1;
  if (count == 0 || (fixed && count > 1)) return fail(ErrorKind::bad_character);
  if (fixed && unit_size(set) == 2) return write(static_cast<std::uint16_t>(character));
  if (fixed) return write(static_cast<std::uint32_t>(character));
  std::array<std::byte, character_octets_max> octets;
  std::byte* end = octets.data();
  const bool swap = swaps_to(std::endian::big);
  if (needs_mark(set, character)) end = put_character(end, set, byte_order_mark, swap);
  end = put_character(end, set, character, swap);
  const auto size = static_cast<std::size_t>(end - octets.data());
  write(static_cast<std::uint8_t>(size));
  write_copied_octets(OctetSpan(octets).first(size));
}

void Encoder::write_wide_string(std::wstring_view text) {
  const WideSet set = code_sets_.wide;
  if (const ErrorKind error = usable(code_sets_); error != ErrorKind::none) return fail(error);
  if (set == WideSet::native) {
    write_length(text.size());
    return write_copied_octets(std::as_bytes(std::span(text)));
  }
  const auto [size, error] = measure(text, set);
  if (error != ErrorKind::none) return fail(error);
  const std::size_t unit = unit_size(set);
  const bool fixed = code_sets_.giop_minor == 1;
  const bool marked = !fixed && !text.empty() && needs_mark(set, static_cast<char32_t>(text[0]));
  const bool swap = fixed ? swap_ : swaps_to(std::endian::big);
  if (size > length_max - unit) return fail(ErrorKind::too_large);
  write_length(fixed ? size / unit + 1 : size + (marked ? unit : 0));
  if (fixed) align(unit);
  std::byte* place = buffer_->extend(size + (fixed || marked ? unit : 0));
  if (marked) place = put_character(place, set, byte_order_mark, swap);
  for (const wchar_t character : text)
    place = put_character(place, set, static_cast<char32_t>(character), swap);
  if (fixed) put_character(place, set, 0, swap);
}

wchar_t Decoder::read_wide_character() noexcept {
  const WideSet set = code_sets_.wide;
  if (const ErrorKind error = usable(code_sets_); error != ErrorKind::none) {
    fail(error);
    return 0;
  }
  if (set == WideSet::native) return static_cast<wchar_t>(read<std::uint32_t>());
  OctetSpan octets;
  if (code_sets_.giop_minor == 1) {
    align(unit_size(set));
    octets = read_octets(unit_size(set));
  } else {
    octets = read_octets(read<std::uint8_t>());
  }
  if (!ok()) return 0;
  // A byte order mark without a character after it is the character itself (interop fact 30 of
  // docs/interop.md).
  const bool marked = code_sets_.giop_minor > 1 && octets.size() > unit_size(set);
  const bool swap = code_sets_.giop_minor == 1 ? swap_ : swaps_to(std::endian::big);
  UnitReader reader = marked ? UnitReader::marked(octets, set) : UnitReader(octets, set, swap);
  const auto character = reader.take();
  if (character && reader.empty()) return static_cast<wchar_t>(*character);
  fail(ErrorKind::bad_character);
  return 0;
}

namespace {

/// Appends the characters of the reader.
ErrorKind append(std::wstring& text, UnitReader reader) {
  text.reserve(reader.unit_count());
  while (!reader.empty()) {
    const auto character = reader.take();
    if (!character) return ErrorKind::bad_character;
    if (*character == 0) return ErrorKind::bad_string;
    text.push_back(static_cast<wchar_t>(*character));
  }
  return ErrorKind::none;
}

}  // namespace

void Decoder::read_wide_string(std::wstring& text) {
  text.clear();
  const WideSet set = code_sets_.wide;
  if (const ErrorKind error = usable(code_sets_); error != ErrorKind::none) return fail(error);
  if (set == WideSet::native) {
    const OctetSpan octets = read_octets(read_length(sizeof(wchar_t)) * sizeof(wchar_t));
    text.resize(octets.size() / sizeof(wchar_t));
    if (!octets.empty()) copy_octets(text.data(), octets.data(), octets.size());
    return;
  }
  ErrorKind error = ErrorKind::none;
  if (code_sets_.giop_minor > 1) {
    error = append(text, UnitReader::marked(read_octets(read_length(1)), set));
  } else {
    const std::size_t unit = unit_size(set);
    const std::size_t count = read_length(unit);
    if (count == 0) return;  // illegal; read like the length 0 of a string
    align(unit);
    const OctetSpan octets = read_octets(count * unit);
    if (!ok()) return;
    UnitReader end(octets.last(unit), set, swap_);
    if (end.take() != 0) return fail(ErrorKind::bad_string);
    error = append(text, UnitReader(octets.first(octets.size() - unit), set, swap_));
  }
  if (error == ErrorKind::none) return;
  text.clear();
  fail(error);
}

}  // namespace perigee::cdr
