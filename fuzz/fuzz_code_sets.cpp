// Code set conversion of hostile octets and of hostile values. A value that one side accepts must
// be the same after encoding and decoding. An input consists of steps. Each step is an operation,
// the code sets and GIOP version of the step, a size, and that many octets.
#include "require.h"
#include <perigee/cdr/operators.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace {

using namespace perigee;
using cdr::CharSet;
using cdr::CodeSets;
using cdr::Decoder;
using cdr::Encoder;
using cdr::ErrorKind;
using cdr::WideSet;
using fuzz::require;

CharSet char_set(std::uint8_t choice) {
  constexpr unsigned count = 18;
  const unsigned number = choice % count;
  if (number == 0) return CharSet::utf_8;
  if (number == 17) return CharSet::us_ascii;
  return number == 12 ? CharSet::iso_8859_1 : static_cast<CharSet>(number);
}

WideSet wide_set(std::uint8_t choice) {
  constexpr WideSet sets[] = {WideSet::utf_16, WideSet::ucs_2, WideSet::ucs_4, WideSet::none};
  return sets[choice % std::size(sets)];
}

/// Encodes `value` and decodes it again. False if it cannot be encoded. Aborts for other failures.
template <typename T>
bool survives(const T& value, CodeSets code_sets, std::endian order, std::size_t start) {
  cdr::Buffer buffer;
  if (start != 0) std::memset(buffer.extend(start), 0, start);
  Encoder encoder(buffer, order, Encoder::Borrowing::no, start);
  encoder.set_code_sets(code_sets);
  encoder << value;
  if (!encoder.ok()) return false;
  const Octets wire = buffer.flatten();
  Decoder decoder(wire, order, start);
  decoder.set_code_sets(code_sets);
  T copy{};
  decoder >> copy;
  require(decoder.ok() && decoder.remaining() == 0);
  require(copy == value);
  return true;
}

/// A decoded value can be encoded again, in every byte order and at every position.
template <typename T>
void decode(OctetSpan octets, CodeSets code_sets) {
  for (const auto order : {std::endian::little, std::endian::big}) {
    Decoder decoder(octets, order);
    decoder.set_code_sets(code_sets);
    T value{};
    decoder >> value;
    if (!decoder.ok()) continue;
    for (std::size_t start = 0; start < 8; ++start)
      require(survives(value, code_sets, order, start));
  }
}

void decode_borrowed(OctetSpan octets, CodeSets code_sets) {
  Decoder first(octets, std::endian::little);
  Decoder second(octets, std::endian::little);
  first.set_code_sets(code_sets);
  second.set_code_sets(code_sets);
  std::string copied;
  std::string storage;
  first.read_string(copied);
  const std::string_view borrowed = second.read_borrowed_string(storage);
  require(first.error() == second.error());
  require(borrowed == copied);
}

/// Encodes any octets as a string of an application.
void encode_text(OctetSpan octets, CodeSets code_sets) {
  std::string text(reinterpret_cast<const char*>(octets.data()), octets.size());
  const bool has_nul = text.find('\0') != std::string::npos;
  const bool survived = survives(text, code_sets, std::endian::little, 0);
  if (has_nul) require(!survived);
  if (!has_nul && !code_sets.converts()) require(survived);
  survives(std::vector<char>(text.begin(), text.end()), code_sets, std::endian::big, 1);
}

/// Encodes any 32-bit values as a wide string of an application.
void encode_wide(OctetSpan octets, CodeSets code_sets) {
  std::wstring text(octets.size() / sizeof(wchar_t), L'\0');
  if (!text.empty()) std::memcpy(text.data(), octets.data(), text.size() * sizeof(wchar_t));
  for (const auto order : {std::endian::little, std::endian::big}) {
    survives(text, code_sets, order, 2);
    for (const wchar_t character : text) survives(character, code_sets, order, 1);
  }
}

void step(std::uint8_t operation, OctetSpan octets, CodeSets code_sets) {
  switch (operation % 8) {
    case 0:
      return decode<std::string>(octets, code_sets);
    case 1:
      return decode<std::wstring>(octets, code_sets);
    case 2:
      return decode<wchar_t>(octets, code_sets);
    case 3:
      return decode<std::vector<char>>(octets, code_sets);
    case 4:
      return decode<std::vector<std::wstring>>(octets, code_sets);
    case 5:
      return decode_borrowed(octets, code_sets);
    case 6:
      return encode_text(octets, code_sets);
    default:
      return encode_wide(octets, code_sets);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t head_size = 6;
  OctetSpan rest = std::as_bytes(std::span(data, size));
  while (rest.size() >= head_size) {
    const auto octet = [&](std::size_t index) {
      return std::to_integer<std::uint8_t>(rest[index]);
    };
    const std::uint8_t operation = octet(0);
    const CodeSets code_sets{char_set(octet(1)), char_set(octet(2)), wide_set(octet(3)),
                             static_cast<std::uint8_t>(octet(4) % 3)};
    const std::size_t count = std::min<std::size_t>(octet(5), rest.size() - head_size);
    step(operation, rest.subspan(head_size, count), code_sets);
    rest = rest.subspan(head_size + count);
  }
  return 0;
}
