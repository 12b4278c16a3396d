// Names that the classes of valuetypes need, and that the IDL also declares.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"

#include <vector>

namespace perigee::idlc::cpp11 {

/// One error for each valuetype of the main file whose class for the state, or whose factory, has
/// the name of a declaration.
std::vector<Diagnostic> value_clashes(const Model& model);

}  // namespace perigee::idlc::cpp11
