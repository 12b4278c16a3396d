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

struct FixedEnd {
  std::size_t size = 0;                  // of the octets up to the end, or of all octets
  FixedOctet kind = FixedOctet::digits;  // of this octet; `digits`: the octets hold no end
};

/// Looks for the end of the number at the front of `octets`.
inline FixedEnd find_fixed_end(OctetSpan octets) noexcept {
  FixedEnd end;
  while (end.size != octets.size() && end.kind == FixedOctet::digits)
    end.kind = fixed_octet_kind(std::to_integer<std::uint8_t>(octets[end.size++]));
  return end;
}

}  // namespace perigee::cdr
