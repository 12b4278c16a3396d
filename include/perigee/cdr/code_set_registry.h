// Numbers and names of code sets, for messages and for texts.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/code_sets.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::cdr {

/// @name Numbers in the OSF Character and Code Set Registry. Interop fact 34 of docs/interop.md.
/// @{
[[nodiscard]] constexpr std::uint32_t registry_number(CharSet set) noexcept {
  return set == CharSet::utf_8 ? 0x05010001u : 0x00010000u | static_cast<std::uint32_t>(set);
}
[[nodiscard]] PERIGEE_API std::uint32_t registry_number(WideSet set) noexcept;
/// Empty for unknown code sets, and for `none` and `native`.
[[nodiscard]] PERIGEE_API std::optional<CharSet> char_set_of(
    std::uint32_t registry_number) noexcept;
[[nodiscard]] PERIGEE_API std::optional<WideSet> wide_set_of(
    std::uint32_t registry_number) noexcept;
/// @}

/// @name Names as in options: "UTF-8", "ISO-8859-15", "US-ASCII"; "UTF-16", "UCS-2", "UCS-4". The
/// case of letters has no effect.
/// @{
[[nodiscard]] PERIGEE_API std::string name_of(CharSet set);
[[nodiscard]] PERIGEE_API std::optional<CharSet> parse_char_set(std::string_view name) noexcept;
[[nodiscard]] PERIGEE_API std::optional<WideSet> parse_wide_set(std::string_view name) noexcept;
/// @}

}  // namespace perigee::cdr
