// Errors of generated response handlers.
#include <perigee/poa/amh.h>

namespace perigee::skeleton {

void ResponseState::_raise_other_operation() {
  throw CORBA::BAD_OPERATION(0, CORBA::COMPLETED_NO,
                             "the response handler is for another operation");
}

}  // namespace perigee::skeleton
