// The values of IDL literals: numbers, characters, strings. Reports malformed ones.
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

/// True for L'x' and L"x".
bool is_wide(const Token& token);

/// The octets of '…' or "…", escapes replaced. Other octets, UTF-8 for instance, are kept as they
/// are.
std::optional<std::string> narrow_text(const Token& token, Diagnostics& diagnostics);

/// The code points of L'…' or L"…". The source text is UTF-8, else it is taken as ISO 8859-1.
std::optional<std::u32string> wide_text(const Token& token, Diagnostics& diagnostics);

}  // namespace perigee::idlc
