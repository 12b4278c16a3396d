// Pollables of the dynamic invocation interface. The room `requests` defines the function.
#pragma once

#include <perigee/dynamic/polling.h>
#include <perigee/orb/orb.h>

namespace perigee::polling {

/// Makes a pollable for the dynamic requests of the ORB. Raises BAD_INV_ORDER (OMG minor 4) after
/// `ORB::destroy`.
[[nodiscard]] CORBA::valuetype_reference<CORBA::DIIPollable> make_dii_pollable(
    const CORBA::object_reference<CORBA::ORB>& orb);

}  // namespace perigee::polling
