// The values of IDL literals: numbers, characters, strings. Reports malformed literals.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"
#include "idlc/frontend/token.h"

#include <optional>
#include <string>
#include <variant>

namespace perigee::idlc {

using NumberLiteral = std::variant<std::monostate, std::uint64_t, long double, FixedValue>;

/// Decimal, octal, hexadecimal, floating or fixed ("1.50d"); monostate after a report.
NumberLiteral number_literal(const Token& token, Diagnostics& diagnostics);

/// True for a floating-point literal, as 1.5 or 2e3.
bool is_floating(const Token& token);

/// The exact decimal value of a floating-point literal, as if the literal ended with `d`; monostate
/// after a report.
NumberLiteral fixed_of_floating(const Token& token, Diagnostics& diagnostics);

/// True for L'x' and L"x".
bool is_wide(const Token& token);

/// The octets of '…' or "…", with escapes replaced. Other octets, for example UTF-8, are kept
/// unchanged.
std::optional<std::string> narrow_text(const Token& token, Diagnostics& diagnostics);

/// The code points of L'…' or L"…". The source text is read as UTF-8, or as ISO 8859-1 if it is not
/// valid UTF-8.
std::optional<std::u32string> wide_text(const Token& token, Diagnostics& diagnostics);

}  // namespace perigee::idlc
