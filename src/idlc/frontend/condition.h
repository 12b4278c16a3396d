// Evaluates an #if expression: integers of 64 bits, all operators of C, unknown names are 0. The
// caller has replaced `defined` and expanded macros.
#pragma once

#include "idlc/frontend/macros.h"

#include <optional>

namespace perigee::idlc {

/// The value of the expression `tokens`, or nothing after an error was reported. If the expression
/// is missing or ends too early, the error is reported at `directive`.
std::optional<bool> evaluate_condition(const std::vector<Token>& tokens, Location directive,
                                       ExpansionState& state);

}  // namespace perigee::idlc
