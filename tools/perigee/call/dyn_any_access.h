// Functions on DynAnys that the reader and the writer of JSON share.
#pragma once

#include "call/idl_type_codes.h"
#include <perigee/dynamic/dynamic_any.h>

namespace perigee::tool {

/// `value` as the interface of its kind, such as `DynSequence`. The factory made `value` with this
/// interface, so the narrow never fails. The result is valid as long as `value` exists.
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
