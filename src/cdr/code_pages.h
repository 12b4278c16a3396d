// ISO 8859-2 to 8859-16: the characters of the octets 0xa0 to 0xff. Below 0xa0 all parts are the
// same as ISO 8859-1, and so as Unicode.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace perigee::cdr {

inline constexpr std::size_t code_page_start = 0xa0;

/// Code points, 0 for octets without a character.
using CodePage = std::array<std::uint16_t, 96>;

/// Parts 2 to 11 and 13 to 16, in this order.
inline constexpr std::size_t code_page_count = 14;
extern const std::array<CodePage, code_page_count> code_pages;

}  // namespace perigee::cdr
