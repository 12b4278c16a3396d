// Converts CDR's long double (IEEE 754 binary128 in 16 octets) to and from the machine's own. On
// x86, the machine's long double is the 80-bit format of the x87; on ARM with 32 bits, it is a
// double. The octets of the machine's long double must never reach the wire.
#pragma once

#include <perigee/base/export.h>

#include <array>
#include <concepts>
#include <cstddef>

namespace perigee::cdr {

/// The octets of a binary128 number, in native byte order.
using QuadOctets = std::array<std::byte, 16>;

/// The octets that a number takes in CDR, without padding. For all types but long double, these are
/// its octets in memory.
template <typename T>
inline constexpr std::size_t number_size =
    std::same_as<T, long double> ? sizeof(QuadOctets) : sizeof(T);

/// Exact: binary128 holds every long double. NaNs stay NaNs; zeros and infinities keep their sign.
PERIGEE_API QuadOctets to_quad(long double value) noexcept;
/// Rounds to the nearest long double, ties to even, if long double has fewer digits.
PERIGEE_API long double from_quad(const QuadOctets& octets) noexcept;

}  // namespace perigee::cdr
