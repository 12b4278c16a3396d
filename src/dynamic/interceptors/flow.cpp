// Turns exceptions of interceptors into outcomes.
#include "dynamic/interceptors/flow.h"

#include <perigee/orb/exceptions.h>

namespace perigee::interceptors {

namespace {

bool is_remote(const CORBA::object_reference<CORBA::Object>& object) {
  return object && object->_reference() != nullptr;
}

}  // namespace

// A ForwardRequest from `receive_reply` or `send_reply` is an error of the interceptor (CORBA 3.0,
// 21.3.5.4). Other user exceptions are errors at all points.
void FlowOutcome::take_current() {
  try {
    throw;
  } catch (const PortableInterceptor::ForwardRequest& request) {
    if (ending == Ending::reply)
      return raise(std::make_exception_ptr(CORBA::UNKNOWN(
          0, CORBA::COMPLETED_YES, "an interceptor has forwarded a request after its reply")));
    if (!is_remote(request.forward()))
      return raise(std::make_exception_ptr(
          CORBA::INV_OBJREF(0, CORBA::COMPLETED_NO,
                            "an interceptor has forwarded a request to nil or to a local object")));
    forward_to(request.forward());
  } catch (const CORBA::UserException& user) {
    raise(std::make_exception_ptr(CORBA::UNKNOWN(
        0, CORBA::COMPLETED_MAYBE, std::string("an interceptor has thrown ") + user._rep_id())));
  } catch (...) {
    raise(std::current_exception());
  }
}

void FlowOutcome::replace_by_current() noexcept {
  replaced = true;
  try {
    return take_current();
  } catch (...) {  // no memory for the exception's id or text
    exception.exception = std::make_exception_ptr(CORBA::NO_MEMORY(0, CORBA::COMPLETED_MAYBE));
  }
  exception.repository_id.clear();
  exception.status = status = PortableInterceptor::SYSTEM_EXCEPTION;
  ending = Ending::exception;
  forward = nullptr;
}

}  // namespace perigee::interceptors
