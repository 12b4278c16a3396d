// The page for browsers: page/page.html with its style and script, as one text. The build makes it.
#pragma once

#include <string_view>

namespace perigee::runtime {

/// The placeholder in `page_text` for the nonce of the response.
inline constexpr std::string_view nonce_mark = "{nonce}";
extern const std::string_view page_text;

}  // namespace perigee::runtime
