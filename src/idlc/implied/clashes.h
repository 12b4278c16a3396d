// Finds handlers, pollers and stubs that inherit two operations with one name.
#pragma once

#include "idlc/implied/implied.h"

#include <vector>

namespace perigee::idlc {

/// One error for each pair of inherited operations with the same name. The names that an interface
/// implies depend on the interface and its bases only, so that code generated from different IDL
/// files has the same names. Two interfaces can therefore imply equal names. The handler of an
/// interface that derives from both would inherit the name twice.
std::vector<Diagnostic> inherited_clashes(const ImpliedIdl& implied);

}  // namespace perigee::idlc
