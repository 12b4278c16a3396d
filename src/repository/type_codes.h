// The TypeCodes of definitions.
#pragma once

#include "repository/store.h"

namespace perigee::repository {

using TypeCodeRef = CORBA::object_reference<CORBA::TypeCode>;

/// The TypeCode of a type or an exception. Raises BAD_TYPECODE if the type contains itself without
/// a sequence or a valuetype in between. Raises BAD_PARAM (OMG minors 17 to 20) for impossible
/// unions and for members with the same name, and IMP_LIMIT if it is too large.
[[nodiscard]] TypeCodeRef type_code(Store& store, Definition& definition);

/// Makes the TypeCodes of all types that depend on a definition, after its change. Raises the
/// exceptions of `type_code` if one of them is impossible now, and IMP_LIMIT if they are too many.
void check_dependent_types(Store& store, Definition& changed);

/// Replaces each type that the repository contains with the repository's own TypeCode for it.
[[nodiscard]] TypeCodeRef canonical(Store& store, const TypeCodeRef& type);

}  // namespace perigee::repository
