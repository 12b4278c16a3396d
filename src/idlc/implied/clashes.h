// Finds handlers that inherit two operations with one name.
#pragma once

#include "idlc/implied/implied.h"

#include <vector>

namespace perigee::idlc {

/// An error for each such pair. The names that an interface implies depend on the interface and its
/// bases only: other files may have been generated with them. So the names of two interfaces can be
/// equal, and the handler of an interface that derives from both would inherit the name twice.
std::vector<Diagnostic> inherited_clashes(const ImpliedIdl& implied);

}  // namespace perigee::idlc
