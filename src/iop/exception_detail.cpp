// The text of a system exception on the wire. Reading stops at the limit, whatever the octets
// promise.
#include <perigee/base/printable.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/iop/exception_detail.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace perigee::iop {

namespace {

constexpr char32_t replacement = 0xfffd;
constexpr char32_t character_max = 0x10ffff;

constexpr bool is_surrogate(char32_t unit) noexcept { return unit >= 0xd800 && unit <= 0xdfff; }

/// Takes the character at the front of a text in UTF-8, which must not be empty. An invalid octet
/// counts as one character.
char32_t take_character(std::string_view& text) noexcept {
  constexpr char32_t least[] = {0, 0x80, 0x800, 0x10000};
  const auto first = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  if (first < 0x80) return first;
  const int ones = std::countl_one(first);
  if (ones < 2 || ones > 4) return replacement;
  const auto more = static_cast<std::size_t>(ones - 1);
  if (text.size() < more) return replacement;
  char32_t character = first & (0x7fU >> ones);
  for (const char next : text.substr(0, more)) {
    if ((static_cast<unsigned char>(next) & 0xc0) != 0x80) return replacement;
    character = character << 6 | (static_cast<unsigned char>(next) & 0x3f);
  }
  const bool is_valid =
      character >= least[more] && character <= character_max && !is_surrogate(character);
  if (!is_valid) return replacement;
  text.remove_prefix(more);
  return character;
}

void append_utf_8(std::string& text, char32_t character) {
  const auto put = [&text](char32_t octet) { text += static_cast<char>(octet); };
  const auto put_rest = [&put, character](unsigned shift) {
    put(0x80 | (character >> shift & 0x3f));
  };
  if (character < 0x80) return put(character);
  if (character < 0x800) {
    put(0xc0 | character >> 6);
  } else if (character < 0x10000) {
    put(0xe0 | character >> 12);
    put_rest(6);
  } else {
    put(0xf0 | character >> 18);
    put_rest(12);
    put_rest(6);
  }
  put_rest(0);
}

// C1 controls act on terminals. The others begin lines, or change the direction of a line.
constexpr bool disturbs_lines(char32_t character) noexcept {
  return (character >= 0x80 && character < 0xa0) || (character >= 0x2028 && character <= 0x202e) ||
         (character >= 0x2066 && character <= 0x2069);
}

void append_shown(std::string& text, char32_t character) {
  if (character < 0x20 || character == 0x7f)
    append_escape(text, character, '"');
  else
    append_utf_8(text, disturbs_lines(character) ? replacement : character);
}

/// Reads UTF-16: big-endian unless a byte order mark says otherwise (interop facts 28 to 30).
class UnitReader {
 public:
  explicit UnitReader(OctetSpan octets) noexcept : octets_(octets) {
    if (octets.size() < 2) return;
    const char32_t first = take();
    is_little_ = first == 0xfffe;
    if (first != 0xfeff && !is_little_) octets_ = octets;
  }
  [[nodiscard]] bool empty() const noexcept { return octets_.size() < 2; }
  [[nodiscard]] char32_t take() noexcept {
    const auto first = std::to_integer<char32_t>(octets_[0]);
    const auto second = std::to_integer<char32_t>(octets_[1]);
    octets_ = octets_.subspan(2);
    return is_little_ ? second << 8 | first : first << 8 | second;
  }

 private:
  OctetSpan octets_;
  bool is_little_ = false;
};

/// Nothing if there is no valid character.
std::optional<char32_t> take_character(UnitReader& reader) noexcept {
  const char32_t unit = reader.take();
  if (!is_surrogate(unit)) return unit;
  if (unit >= 0xdc00 || reader.empty()) return std::nullopt;
  const char32_t low = reader.take();
  if (!is_surrogate(low) || low < 0xdc00) return std::nullopt;
  return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
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
  UnitReader reader(octets);
  for (std::size_t left = exception_detail_size_max; left != 0 && !reader.empty(); --left) {
    const auto character = take_character(reader);
    if (!character) return {};
    append_shown(text, *character);
  }
  return text;
}

}  // namespace perigee::iop
