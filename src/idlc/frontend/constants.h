// Arithmetic of constant expressions, and the conversion of a result to the type of the constant
// with its range check. CORBA 3.0, 3.10.2. The grammar of expressions is in parse_expressions.cpp.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"

#include <optional>
#include <string_view>
#include <variant>

namespace perigee::idlc {

/// Wide enough for all 64-bit integers of both signs.
__extension__ using WideInteger = __int128;

/// An intermediate value; monostate after a reported error.
struct Operand {
  std::variant<std::monostate, bool, char, char32_t, WideInteger, long double, FixedValue,
               std::string, std::u32string, const Enumerator*>
      value;
  Location location;

  [[nodiscard]] bool is_valid() const { return value.index() != 0; }
};

/// What arithmetic needs besides its operands. The value of `~` depends on the constant's type: for
/// an unsigned type, the value stays within the range of the type.
struct ArithmeticContext {
  Diagnostics& diagnostics;
  const Type* target = nullptr;  ///< unaliased; null if there is none (an annotation)
};

Operand apply_unary(std::string_view op, const Operand& operand, const ArithmeticContext& context);
Operand apply_binary(std::string_view op, const Operand& left, const Operand& right,
                     const ArithmeticContext& context);

/// The value of a declared constant or enumerator as an operand.
Operand operand_of(const Value& value, Location location);

/// The operand as a value of `type`. If the operand has the wrong kind or is out of range, reports
/// an error and returns std::nullopt.
std::optional<Value> convert(const Operand& operand, const Type& type, Diagnostics& diagnostics);

/// The operand as a value of its own type, for annotations.
Value natural_value(const Operand& operand);

/// The least and the greatest value of an integer type (including octet); std::nullopt for other
/// types.
struct IntegerRange {
  WideInteger least;
  WideInteger greatest;
};
std::optional<IntegerRange> integer_range(TypeKind kind);

}  // namespace perigee::idlc
