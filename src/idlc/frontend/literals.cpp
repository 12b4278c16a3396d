// Converts literals to values.
#include "idlc/frontend/literals.h"

#include "idlc/frontend/fixed_arithmetic.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>

namespace perigee::idlc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<unsigned> digit_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

NumberLiteral malformed(const Token& token, Diagnostics& diagnostics) {
  diagnostics.error(token.location, describe(token) + " is not a valid number");
  return {};
}

NumberLiteral integer(const Token& token, Diagnostics& diagnostics) {
  std::string_view text = token.text;
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  std::uint64_t value = 0;
  const char* first = text.data();
  const char* last = first + text.size();
  const auto [end, code] = std::from_chars(first, last, value, base);
  if (code == std::errc::result_out_of_range) {
    diagnostics.error(token.location, describe(token) + " does not fit in 64 bits");
    return {};
  }
  if (code != std::errc() || end != last) {
    if (base == 8 && std::ranges::all_of(text, is_digit)) {
      diagnostics.error(token.location,
                        describe(token) + " is not a valid number: a leading 0 makes it octal");
      return {};
    }
    return malformed(token, diagnostics);
  }
  return value;
}

/// Removes zeros at the start, and at the end of the fraction. The result has at least one digit.
void normalize(std::string& digits, int& scale) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  while (scale > 0 && digits.ends_with('0')) {
    digits.pop_back();
    --scale;
  }
  if (!digits.empty()) return;
  digits.assign(1, '0');
  scale = 0;
}

/// The value of `text` * 10^`exponent`. `text` consists of digits and at most one point.
NumberLiteral decimal(const Token& token, std::string_view text, int exponent,
                      Diagnostics& diagnostics) {
  constexpr int scale_max = static_cast<int>(fixed_digits_max);
  std::string digits;
  int scale = -exponent;
  bool is_fraction = false;
  for (const char c : text) {
    if (c == '.' && !is_fraction) {
      is_fraction = true;
    } else if (is_digit(c)) {
      digits += c;
      if (is_fraction) ++scale;
    } else {
      return malformed(token, diagnostics);
    }
  }
  if (digits.empty()) return malformed(token, diagnostics);
  normalize(digits, scale);
  if (scale < 0 && scale >= -scale_max) {
    digits.append(static_cast<std::size_t>(-scale), '0');
    scale = 0;
  }
  if (digits.size() > fixed_digits_max || scale > scale_max || scale < 0) {
    diagnostics.error(token.location, "a fixed value has at most 31 digits");
    return {};
  }
  return FixedValue{false, std::move(digits), static_cast<std::uint16_t>(scale)};
}

NumberLiteral fixed(const Token& token, Diagnostics& diagnostics) {
  return decimal(token, token.text.substr(0, token.text.size() - 1), 0, diagnostics);
}

/// The value of a number that std::from_chars reports as out of range: a denormal number, 0 for a
/// still smaller number, or infinity.
long double extreme(std::string_view text) {
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  long double value = 0;
  in >> value;
  return in ? value : std::numeric_limits<long double>::infinity();
}

NumberLiteral floating(const Token& token, Diagnostics& diagnostics) {
  long double value = 0;
  const char* first = token.text.data();
  const char* last = first + token.text.size();
  const auto [end, code] = std::from_chars(first, last, value);
  const bool is_extreme = code == std::errc::result_out_of_range;
  if ((code != std::errc() && !is_extreme) || end != last) return malformed(token, diagnostics);
  if (!is_extreme) return value;
  value = extreme(token.text);
  if (std::isfinite(value) && value != 0) return value;
  diagnostics.error(token.location,
                    describe(token) + (value == 0 ? " is too small: it would become 0"
                                                  : " is out of the range of long double"));
  return {};
}

/// Reads the contents of a literal. Each element is an octet or, for `\u` in wide literals, a code
/// point.
class Escapes final {
 public:
  Escapes(const Token& token, Diagnostics& diagnostics)
      : token_(token), diagnostics_(diagnostics), is_wide_(is_wide(token)) {
    text_ = token.text.substr(is_wide_ ? 2 : 1);
    text_.remove_suffix(1);
  }

  struct Element {
    char32_t value = 0;
    bool is_escape = false;
  };

  std::optional<std::vector<Element>> run() {
    std::vector<Element> result;
    while (index_ < text_.size()) {
      if (text_[index_] != '\\') {
        result.push_back({static_cast<unsigned char>(text_[index_++]), false});
        continue;
      }
      ++index_;
      const std::optional<char32_t> value = escape();
      if (!value) return std::nullopt;
      result.push_back({*value, true});
    }
    return result;
  }

 private:
  std::optional<char32_t> fail(std::string text) {
    Location location = token_.location;
    location.column += static_cast<std::uint32_t>(index_) + (is_wide_ ? 1u : 0u);
    diagnostics_.error(location, std::move(text));
    return std::nullopt;
  }

  std::optional<char32_t> digits(unsigned base, std::size_t count_max) {
    char32_t value = 0;
    std::size_t count = 0;
    while (count < count_max && index_ < text_.size()) {
      const auto digit = digit_value(text_[index_]);
      if (!digit || *digit >= base) break;
      value = value * base + *digit;
      ++index_;
      ++count;
    }
    if (count == 0) return fail("this escape needs hexadecimal digits");
    return value;
  }

  // CORBA 3.0, table 3-9.
  std::optional<char32_t> escape() {
    constexpr std::string_view names = "ntvbrfa\\?'\"";
    constexpr std::string_view values = "\n\t\v\b\r\f\a\\?'\"";
    const char c = index_ < text_.size() ? text_[index_] : '\0';
    if (c >= '0' && c <= '7') {
      const auto value = digits(8, 3);
      if (value && *value > 0xff && !is_wide_) return fail("this octal escape is above \\377");
      return value;
    }
    const auto found = names.find(c);
    if (c != '\0' && found != std::string_view::npos) {
      ++index_;
      return static_cast<unsigned char>(values[found]);
    }
    if (c == 'x') {
      ++index_;
      return digits(16, 2);
    }
    if (c == 'u') {
      if (!is_wide_) return fail("'\\u' is allowed in wide literals only");
      ++index_;
      return digits(16, 4);
    }
    std::string text = "unknown escape '\\ '";
    text[text.size() - 2] = c;
    return fail(std::move(text));
  }

  const Token& token_;
  Diagnostics& diagnostics_;
  bool is_wide_;
  std::string_view text_;
  std::size_t index_ = 0;
};

/// A character that takes `size` octets of the source text.
struct SourceCharacter {
  char32_t value = 0;
  std::size_t size = 1;
};

/// False for values that have a shorter form, for surrogates and for values above U+10FFFF.
bool is_valid_utf8(const SourceCharacter& character) {
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const char32_t value = character.value;
  const bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
  return value >= least[character.size] && value <= 0x10ffff && !is_surrogate;
}

/// The UTF-8 character at `index`, or one octet as a character of ISO 8859-1 if it is not valid.
SourceCharacter source_character(const std::vector<Escapes::Element>& elements, std::size_t index) {
  const char32_t first = elements[index].value;
  const std::size_t size = first < 0x80             ? 1
                           : (first & 0xe0) == 0xc0 ? 2
                           : (first & 0xf0) == 0xe0 ? 3
                           : (first & 0xf8) == 0xf0 ? 4
                                                    : 0;
  if (size <= 1 || index + size > elements.size()) return {first};
  SourceCharacter result{first & (0x7fu >> size), size};
  for (std::size_t i = 1; i < size; ++i) {
    const Escapes::Element& element = elements[index + i];
    if (element.is_escape || (element.value & 0xc0) != 0x80) return {first};
    result.value = (result.value << 6u) | (element.value & 0x3f);
  }
  return is_valid_utf8(result) ? result : SourceCharacter{first};
}

}  // namespace

bool is_wide(const Token& token) { return token.text.starts_with('L'); }

bool is_floating(const Token& token) {
  const std::string_view text = token.text;
  const bool is_other = text.starts_with("0x") || text.starts_with("0X") || text.ends_with('d') ||
                        text.ends_with('D');
  return !is_other && text.find_first_of(".eE") != std::string_view::npos;
}

NumberLiteral fixed_of_floating(const Token& token, Diagnostics& diagnostics) {
  constexpr int exponent_max = 1000;
  const auto mark = std::min(token.text.find_first_of("eE"), token.text.size());
  int exponent = 0;
  if (mark < token.text.size()) {
    std::string_view text = token.text.substr(mark + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const char* const first = text.data();
    const char* const last = first + text.size();
    const auto [end, code] = std::from_chars(first, last, exponent);
    if (code == std::errc::result_out_of_range) exponent = exponent_max + 1;
    if (code == std::errc::invalid_argument || end != last) return malformed(token, diagnostics);
  }
  if (exponent < -exponent_max || exponent > exponent_max) {
    diagnostics.error(token.location, "a fixed value has at most 31 digits");
    return {};
  }
  return decimal(token, token.text.substr(0, mark), exponent, diagnostics);
}

NumberLiteral number_literal(const Token& token, Diagnostics& diagnostics) {
  const std::string_view text = token.text;
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) return integer(token, diagnostics);
  if (text.ends_with('d') || text.ends_with('D')) return fixed(token, diagnostics);
  if (is_floating(token)) return floating(token, diagnostics);
  return integer(token, diagnostics);
}

std::optional<std::string> narrow_text(const Token& token, Diagnostics& diagnostics) {
  const auto elements = Escapes(token, diagnostics).run();
  if (!elements) return std::nullopt;
  std::string result;
  for (const auto& element : *elements) {
    result += static_cast<char>(static_cast<unsigned char>(element.value));
  }
  return result;
}

std::optional<std::u32string> wide_text(const Token& token, Diagnostics& diagnostics) {
  const auto elements = Escapes(token, diagnostics).run();
  if (!elements) return std::nullopt;
  std::u32string result;
  for (std::size_t i = 0; i < elements->size();) {
    const Escapes::Element& first = (*elements)[i];
    const SourceCharacter character =
        first.is_escape ? SourceCharacter{first.value} : source_character(*elements, i);
    result += character.value;
    i += character.size;
  }
  return result;
}

}  // namespace perigee::idlc
