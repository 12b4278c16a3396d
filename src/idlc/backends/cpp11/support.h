// What this version of the back end does not generate: each use gets an error with its position.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"

#include <vector>

namespace perigee::idlc::cpp11 {

/// An error for each declaration of the main file that cannot be generated, and for each use of a
/// type that cannot.
std::vector<Diagnostic> unsupported(const Model& model);

}  // namespace perigee::idlc::cpp11
