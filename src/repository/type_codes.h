// The TypeCodes of definitions.
#pragma once

#include "repository/store.h"

namespace perigee::repository {

using TypeCodeRef = CORBA::object_reference<CORBA::TypeCode>;

/// The TypeCode of a type or an exception. Raises BAD_TYPECODE if the type contains itself without
/// a sequence or a valuetype in between. Raises BAD_PARAM (OMG minors 17 to 20) for impossible
/// unions and for members with the same name, and IMP_LIMIT if it is too large.
[[nodiscard]] TypeCodeRef type_code(Store& store, Definition& definition);

/// Replaces the types that the repository knows by their TypeCodes in the repository.
[[nodiscard]] TypeCodeRef canonical(Store& store, const TypeCodeRef& type);

}  // namespace perigee::repository
