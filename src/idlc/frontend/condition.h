// Evaluates an #if expression: integers of 64 bits, all operators of C, unknown names are 0. Macros
// are expanded and `defined` is replaced before.
#pragma once

#include "idlc/frontend/macros.h"

#include <optional>

namespace perigee::idlc {

/// The value of the expression `tokens`, or nothing after an error was reported. `directive` is the
/// position for the error that the expression is missing or ends too early.
std::optional<bool> evaluate_condition(const std::vector<Token>& tokens, Location directive,
                                       ExpansionState& state);

}  // namespace perigee::idlc
