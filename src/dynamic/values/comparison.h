// Equality of values by their TypeCodes.
#pragma once

#include "dynamic/values/value_parts.h"

#include <cstdint>

namespace perigee::dynamic {

/// The largest number of pairs of valuetypes whose members one comparison reads.
inline constexpr std::uint32_t value_pairs_max = 1 << 16;

/// Whether the types are equivalent and the values are equal. References to one object, and
/// equivalent TypeCodes, are equal even if their octets differ. Raises IMP_LIMIT beyond
/// `value_pairs_max` and `levels_max`, and MARSHAL if a member cannot be read.
[[nodiscard]] bool equal_values(const CORBA::Any& a, const CORBA::Any& b,
                                const References& references);

}  // namespace perigee::dynamic
