// Files that declare again what orb.idl or the compiler declares in module CORBA: files of other
// ORBs, and files that must compile without orb.idl.
#pragma once

#include "idlc/frontend/context.h"

namespace perigee::idlc {

/// Decides which declaration is used for each name that the last definition declared again. Equal
/// declarations: that of orb.idl, unless the file's declaration makes a C++ type that the library
/// does not have. Different declarations: that of the file, with a warning.
void settle_redeclared(Context& context);

}  // namespace perigee::idlc
