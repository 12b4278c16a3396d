// The octets of fixed-point numbers: the last octet tells the end of the number.
#pragma once

#include <perigee/base/octets.h>

#include <cstddef>
#include <cstdint>

namespace perigee::cdr {

/// An octet of a fixed-point number. CORBA 3.0, 15.3.2.8: two digits, or a digit and the sign.
enum class FixedOctet : std::uint8_t { digits, last, bad };

inline FixedOctet fixed_octet_kind(std::uint8_t octet) noexcept {
  constexpr unsigned plus = 0xc;
  constexpr unsigned minus = 0xd;
  const unsigned low = octet & 15U;
  if (octet >> 4 > 9) return FixedOctet::bad;
  if (low == plus || low == minus) return FixedOctet::last;
  return low <= 9 ? FixedOctet::digits : FixedOctet::bad;
}

/// The size of the number at the front of `octets`; 0: they hold no end of a number.
inline std::size_t fixed_size(OctetSpan octets) noexcept {
  for (std::size_t size = 1; size <= octets.size(); ++size) {
    const FixedOctet kind = fixed_octet_kind(std::to_integer<std::uint8_t>(octets[size - 1]));
    if (kind == FixedOctet::last) return size;
    if (kind == FixedOctet::bad) return 0;
  }
  return 0;
}

}  // namespace perigee::cdr
