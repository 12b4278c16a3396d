// The present use of an ORB's limits, for operators.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace perigee::orb {

class OrbCore;

struct LimitUse {
  std::string_view name;    ///< a static text
  std::string_view option;  ///< the option that sets the limit; a static text
  bool is_size = false;     ///< octets; otherwise a number
  std::uint64_t used = 0;
  std::uint64_t limit = 0;
};

/// Memory for messages, and requests in progress. Any thread.
[[nodiscard]] std::vector<LimitUse> report_limits(const OrbCore& core);

}  // namespace perigee::orb
