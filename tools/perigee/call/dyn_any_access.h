// Steps of the walks over DynAnys that reading and writing JSON share.
#pragma once

#include "call/idl_type_codes.h"
#include <perigee/dynamic/dynamic_any.h>

namespace perigee::tool {

/// The interface of the value's kind. The factory makes DynAnys with this interface, so the result
/// is never nil. It is valid as long as `value` is.
template <typename Interface>
[[nodiscard]] Interface& narrowed(const DynamicAny::DynAnyRef& value) {
  return *IDL::traits<Interface>::narrow(value);
}

/// The type behind all aliases.
[[nodiscard]] inline TypeCodeRef unaliased(TypeCodeRef type) {
  while (type->kind() == CORBA::TCKind::tk_alias) type = type->content_type();
  return type;
}

}  // namespace perigee::tool
