// Makes the factory of DynAnys.
#pragma once

#include "dynamic/values/value_parts.h"
#include <perigee/dynamic/dyn_any_factory.h>

namespace perigee::dynamic {

/// `references`: the ORB that makes object references and values; may be empty.
[[nodiscard]] CORBA::object_reference<DynamicAny::DynAnyFactory> make_factory(
    References references);

}  // namespace perigee::dynamic
