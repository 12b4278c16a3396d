// Writes a description as an IDL file.
#pragma once

#include "remote/description.h"
#include <perigee/orb/orb.h>

#include <string>

namespace perigee::tool {

/// One IDL file with all definitions of the description. Each definition comes before its first
/// use. All names and ids are checked, so a repository cannot add other definitions or preprocessor
/// directives to the text. Throws DescriptionError for definitions that have no form in IDL 3.
/// `orb` reads the values of constants.
[[nodiscard]] std::string idl_text(const CORBA::object_reference<CORBA::ORB>& orb,
                                   const Description& description);

}  // namespace perigee::tool
