// Turns preprocessing tokens into IDL tokens: finds keywords and escaped identifiers, and reports
// invalid tokens. Literals keep their spelling; literals.h gives their values.
#pragma once

#include "idlc/frontend/compile.h"
#include "idlc/frontend/token.h"

#include <string_view>
#include <vector>

namespace perigee::idlc {

/// Classifies in place, and reports bad tokens. Tokens that the parser must not see become
/// placemarkers, so that the positions of events stay correct.
void classify(std::vector<Token>& tokens, const CompileOptions& options, Diagnostics& diagnostics);

/// The reserved words of that version of IDL. Words that are keywords only in some places (import,
/// component, factory, …) are not included: old files use them as names.
const std::vector<std::string_view>& keywords(IdlVersion version);

/// ASCII lower case: identifiers that differ only in case are the same name.
std::string lower_case(std::string_view text);

}  // namespace perigee::idlc
