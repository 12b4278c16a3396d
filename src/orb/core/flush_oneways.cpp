// Sends the buffered oneways of one ORB, and reports losses as exceptions.
#include "orb/client/endpoint_table.h"
#include "orb/core/orb_core.h"
#include <perigee/orb/buffering_policy.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/orb.h>

#include <string>

namespace perigee {

void flush_oneways(CORBA::ORB& orb) {
  const orb::FlushResult result = orb._core()->endpoints().flush();
  if (result.lost != 0)
    throw CORBA::COMM_FAILURE(0, CORBA::COMPLETED_MAYBE,
                              std::to_string(result.lost) + " buffered oneways are lost");
  if (result.waiting != 0)
    throw CORBA::TIMEOUT(0, CORBA::COMPLETED_MAYBE,
                         std::to_string(result.waiting) + " buffered oneways still wait");
}

}  // namespace perigee
