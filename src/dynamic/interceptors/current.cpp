// Reads and changes the slots of the calling thread.
#include "dynamic/interceptors/current.h"

#include "dynamic/interceptors/minor_codes.h"
#include "dynamic/interceptors/slots.h"
#include "orb/context/thread_slots.h"
#include <perigee/orb/exceptions.h>

namespace perigee::interceptors {

void SlotCurrent::check(PortableInterceptor::SlotId id) const {
  if (!owner_.started())
    throw CORBA::BAD_INV_ORDER(minor_in_initializer, CORBA::COMPLETED_NO,
                               "the slots cannot be used before the ORB has been made");
  owner_.check_slot(id);
}

CORBA::Any SlotCurrent::get_slot(PortableInterceptor::SlotId id) {
  check(id);
  return Slots::get(orb::thread_slots(), owner_.identity(), id);
}

void SlotCurrent::set_slot(PortableInterceptor::SlotId id, const CORBA::Any& data) {
  check(id);
  orb::thread_slots() = Slots::with(orb::thread_slots(), owner_.identity(), id, data);
}

}  // namespace perigee::interceptors
