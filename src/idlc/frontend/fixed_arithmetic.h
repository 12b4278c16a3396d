// Arithmetic of fixed-point constants: exact decimal numbers, limited to 31 digits. CORBA 3.0,
// 3.10.2.
#pragma once

#include "idlc/frontend/model.h"

#include <optional>

namespace perigee::idlc {

inline constexpr std::size_t fixed_digits_max = 31;

/// `op` is '+', '-', '*' or '/'. Digits after the 31st are cut off, not rounded. std::nullopt if
/// the integer part alone has more than 31 digits, or for a division by zero.
std::optional<FixedValue> calculate(const FixedValue& left, char op, const FixedValue& right);

/// The value without the fraction's digits beyond `scale`.
FixedValue truncated(const FixedValue& value, std::uint16_t scale);

}  // namespace perigee::idlc
