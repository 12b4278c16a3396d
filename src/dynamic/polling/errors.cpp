// Minor codes: CORBA 3.0, table 4-3, and 22.10.1 "Basic Type-Specific Poller".
#include "dynamic/polling/errors.h"

namespace perigee::polling {

void raise_used_up() {
  throw CORBA::OBJECT_NOT_EXIST(CORBA::OMGVMCID | 5, CORBA::COMPLETED_NO,
                                "the reply of the poller was taken already");
}

void raise_not_ready(std::uint32_t timeout) {
  if (timeout == 0)
    throw CORBA::NO_RESPONSE(CORBA::OMGVMCID | 1, CORBA::COMPLETED_NO,
                             "the reply has not come yet");
  throw CORBA::TIMEOUT(CORBA::OMGVMCID | 1, CORBA::COMPLETED_NO,
                       "the reply has not come within the time-out of the poller");
}

void raise_no_request() {
  throw CORBA::BAD_INV_ORDER(CORBA::OMGVMCID | 11, CORBA::COMPLETED_NO,
                             "the ORB has no request of send_multiple_requests_deferred");
}

}  // namespace perigee::polling
