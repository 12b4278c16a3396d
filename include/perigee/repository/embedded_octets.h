// The constants of files that `perigee-idl --repository` generates.
#pragma once

#include <cstdint>
#include <span>

namespace perigee::repository {

/// The description of one IDL file, and of the files that it includes. Generated code has constants
/// of this type: `perigee::embedded::stock` in stockR.h. Does not own the octets.
struct Embedded {
  std::span<const std::uint8_t> octets;
};

}  // namespace perigee::repository
