// Texts inside JSON: octets in base64, and wide characters.
#pragma once

#include <perigee/base/octets.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::tool {

[[nodiscard]] std::string to_base64(OctetSpan octets);
/// Nothing if `text` is not base64 with its padding.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text);

/// `text` is well-formed UTF-8, as the strings of a JSON parser are.
[[nodiscard]] std::wstring to_wide(std::string_view text);
/// Code points that are not characters become U+FFFD.
[[nodiscard]] std::string from_wide(std::wstring_view text);

}  // namespace perigee::tool
