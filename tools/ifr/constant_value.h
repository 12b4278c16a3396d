// Converts the values of constants and labels to anys.
#pragma once

#include "idlc/frontend/model.h"
#include <perigee/orb/any.h>
#include <perigee/orb/orb.h>

namespace perigee::ifr {

/// The value of a constant or a label. `type` is its TypeCode without typedefs.
[[nodiscard]] CORBA::Any any_of(const CORBA::object_reference<CORBA::ORB>& orb,
                                const idlc::Value& value,
                                const CORBA::object_reference<CORBA::TypeCode>& type);

}  // namespace perigee::ifr
