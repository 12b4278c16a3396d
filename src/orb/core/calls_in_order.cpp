// Looks at the settings from which LoopCalls chooses connections.
#include "orb/core/orb_core.h"
#include <perigee/orb/calls_in_order.h>

namespace perigee::orb {

std::uint32_t calls_in_order_max(const CORBA::object_reference<CORBA::ORB>& orb) noexcept {
  const Settings& settings = orb->_core()->settings();
  return serves_while_waiting(settings.thread_strategy) ? settings.requests_in_flight_max : 1;
}

}  // namespace perigee::orb
