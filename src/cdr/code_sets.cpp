// Code sets by number and by name.
#include <perigee/cdr/code_set_registry.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace perigee::cdr {

namespace {

constexpr std::string_view iso_prefix = "ISO-8859-";

constexpr std::array<std::pair<std::string_view, WideSet>, 3> wide_names{
    {{"UTF-16", WideSet::utf_16}, {"UCS-2", WideSet::ucs_2}, {"UCS-4", WideSet::ucs_4}}};

bool equal_in_any_case(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, [](unsigned char left, unsigned char right) {
    return std::toupper(left) == std::toupper(right);
  });
}

}  // namespace

std::uint32_t registry_number(WideSet set) noexcept {
  switch (set) {
    case WideSet::utf_16:
      return 0x00010109;
    case WideSet::ucs_2:
      return 0x00010100;
    case WideSet::ucs_4:
      return 0x00010106;
    case WideSet::none:
    case WideSet::native:
      break;
  }
  return 0;
}

std::optional<CharSet> char_set_of(std::uint32_t number) noexcept {
  if (number == registry_number(CharSet::utf_8)) return CharSet::utf_8;
  if (number == registry_number(CharSet::us_ascii)) return CharSet::us_ascii;
  const std::uint32_t part = number - 0x00010000;
  if (part < 1 || part > 16 || part == 12) return std::nullopt;
  return static_cast<CharSet>(part);
}

// UCS-2 and UCS-4 have three numbers each, for levels of combining characters. Perigee treats the
// levels alike.
std::optional<WideSet> wide_set_of(std::uint32_t number) noexcept {
  if (number == 0x00010109) return WideSet::utf_16;
  if (number >= 0x00010100 && number <= 0x00010102) return WideSet::ucs_2;
  if (number >= 0x00010104 && number <= 0x00010106) return WideSet::ucs_4;
  return std::nullopt;
}

std::string name_of(CharSet set) {
  if (set == CharSet::utf_8) return "UTF-8";
  if (set == CharSet::us_ascii) return "US-ASCII";
  return std::string(iso_prefix) + std::to_string(static_cast<unsigned>(set));
}

std::optional<CharSet> parse_char_set(std::string_view name) noexcept {
  if (equal_in_any_case(name, "UTF-8")) return CharSet::utf_8;
  if (equal_in_any_case(name, "US-ASCII")) return CharSet::us_ascii;
  if (!equal_in_any_case(name.substr(0, iso_prefix.size()), iso_prefix)) return std::nullopt;
  std::uint32_t part = 0;
  for (const char digit : name.substr(iso_prefix.size())) {
    if (digit < '0' || digit > '9' || part > 16) return std::nullopt;
    part = part * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  return part <= 16 ? char_set_of(0x00010000 + part) : std::nullopt;
}

std::optional<WideSet> parse_wide_set(std::string_view name) noexcept {
  for (const auto& [known, set] : wide_names)
    if (equal_in_any_case(name, known)) return set;
  return std::nullopt;
}

}  // namespace perigee::cdr
