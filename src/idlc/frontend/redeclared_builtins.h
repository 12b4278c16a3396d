// Compares declarations in module CORBA with the declarations of orb.idl and of the compiler. Files
// of other ORBs declare these names again, and so do files that must compile without orb.idl.
#pragma once

#include "idlc/frontend/context.h"

namespace perigee::idlc {

/// Decides which declaration is used for each name that the last definition declared again. If the
/// declarations are equal and the library has the C++ type, the declaration of orb.idl is used.
/// Otherwise the declaration of the file is used; a difference is reported as a warning.
void settle_redeclared(Context& context);

/// Whether the words in front of `interface` fit the declaration of orb.idl. Interfaces that CORBA
/// 3 declares local were ordinary before, so `local` may be missing.
bool is_same_head(const Interface& builtin, bool is_local, bool is_abstract);

}  // namespace perigee::idlc
