// Finds constructs that this version of the back end does not generate. Each use gets an error with
// its position.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"

#include <vector>

namespace perigee::idlc::cpp11 {

/// An error for each declaration of the main file that cannot be generated, and for each use of
/// such a type.
std::vector<Diagnostic> unsupported(const Model& model);

}  // namespace perigee::idlc::cpp11
