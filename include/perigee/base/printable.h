// Makes text from outside safe for a terminal and for one line of a log.
#pragma once

#include <perigee/base/export.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace perigee {

/// Returns `text` in which \xNN stands for the backslash and for each octet that is not printable
/// ASCII.
PERIGEE_API std::string printable(std::string_view text);
/// `text` in quotes, with C's escapes for the quote, the backslash and control characters. Octets
/// above 0x7f stay as they are: strings are UTF-8.
PERIGEE_API std::string quoted(std::string_view text, char quote);
/// Appends the escape of a character that needs one. Returns false, and appends nothing, for other
/// characters.
PERIGEE_API bool append_escape(std::string& text, std::uint32_t character, char quote);

}  // namespace perigee
