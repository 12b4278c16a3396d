// Chooses the loop of an ORB in which a task waits.
#include "orb/async/async_engine.h"
#include "orb/core/orb_core.h"
#include "orb/values/system_exceptions.h"
#include <perigee/async/on_orb.h>

namespace perigee {

event::Reactor& reactor_of(const CORBA::object_reference<CORBA::ORB>& orb) {
  if (!orb) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a nil ORB");
  orb::OrbCore& core = *orb->_core();
  if (core.stopped())
    throw CORBA::BAD_INV_ORDER(orb::minor_shut_down, CORBA::COMPLETED_NO, "the ORB was shut down");
  return core.async().sleeping_place();
}

}  // namespace perigee
