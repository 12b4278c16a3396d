// The assertion of the fuzz targets, which holds in every build.
#pragma once

#include <cstdlib>

namespace perigee::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace perigee::fuzz
