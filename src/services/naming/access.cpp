// The rules of naming services are those of all services.
#include "services/access/access.h"

#include <perigee/services/naming/options.h>

namespace perigee::naming {

std::expected<void, std::string> add_access_rule(std::string_view text,
                                                 std::vector<AccessRule>& rules) {
  return services::add_rule(text, rules);
}

}  // namespace perigee::naming
