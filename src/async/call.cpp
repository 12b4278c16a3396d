// Functions of calls that need not be in a header.
#include <perigee/async/call.h>
#include <perigee/orb/exceptions.h>

namespace perigee::async::detail {

void raise_empty_call() {
  throw CORBA::BAD_INV_ORDER(0, CORBA::COMPLETED_NO,
                             "an empty call: it was moved from, or never started");
}

}  // namespace perigee::async::detail
