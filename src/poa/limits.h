// The limits of the object adapters of an ORB.
#pragma once

#include <cstdint>

namespace perigee::poa {

struct AdapterLimits {
  std::uint32_t adapters_max = 65536;
  std::uint32_t objects_max = 64u << 20;  ///< active at one time, in all adapters
  /// Collocated callers that wait, for each POAManager in state HOLDING.
  std::uint32_t holding_requests_max = 1024;
};

}  // namespace perigee::poa
