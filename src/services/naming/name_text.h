// Names as text, for to_string, to_name and to_url. Reading uses the parser of corbaname URLs, so
// that both accept the same names.
#pragma once

#include <perigee/services/naming/store.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::naming {

using Components = std::vector<Component>;

/// "id.kind/id.kind", with a backslash before '/', '.' and '\' of an id or kind. A component
/// without an id and a kind is ".". Source: Naming Service 1.3, 2.4.
[[nodiscard]] std::string to_text(const Components& name);
/// The opposite of `to_text`. std::nullopt if the text is not a name. Has no limit: the caller
/// checks the size of `text` before.
[[nodiscard]] std::optional<Components> parse_text(std::string_view text);

/// "corbaname:<address>#<name>", with %xx for characters that a URL must escape. `name` is not
/// checked. std::nullopt if the address is not valid in a corbaloc URL. Source: Naming Service 1.3,
/// 2.5.3.
[[nodiscard]] std::optional<std::string> make_url(const std::string& address,
                                                  std::string_view name);

}  // namespace perigee::naming
