// The only place that turns each kind of exception into a reply.
#include "poa/answer_thrown.h"

#include "orb/serving/log_operation.h"
#include "orb/serving/sent_details.h"
#include <perigee/poa/poa.h>

#include <exception>
#include <new>

namespace perigee::poa {

using CORBA::COMPLETED_MAYBE;
using CORBA::COMPLETED_NO;

namespace {

// ForwardRequest's target may be nil or local: the client then gets an exception.
void answer_forward(orb::ServerRequest& request,
                    const PortableServer::ForwardRequest& forward) noexcept {
  try {
    if (!forward.forward_reference())
      throw CORBA::INV_OBJREF(0, COMPLETED_NO, "nil ForwardRequest");
    request.reply_forward(*forward.forward_reference());
  } catch (const CORBA::Exception& exception) {
    request.reply_exception(exception);
  } catch (...) {
    request.reply_exception(CORBA::UNKNOWN(0, COMPLETED_NO));
  }
}

// Replies to an exception that is not a CORBA exception.
void answer_foreign(orb::ServerRequest& request, const char* thrown) noexcept {
  const bool answered = request.answered();
  orb::log_operation(
      log::Level::warning, request.operation(),
      {answered ? "thrown after the answer: " : "the client gets UNKNOWN for ", thrown});
  if (!answered) request.reply_exception(orb::replaced_exception(0, thrown));
}

}  // namespace

void answer_thrown(orb::ServerRequest& request) noexcept {
  try {
    throw;
  } catch (const PortableServer::ForwardRequest& forward) {
    answer_forward(request, forward);
  } catch (const CORBA::Exception& exception) {
    request.reply_exception(exception);
  } catch (const std::bad_alloc&) {
    request.reply_exception(CORBA::NO_MEMORY(0, COMPLETED_MAYBE));
  } catch (const std::exception& exception) {
    answer_foreign(request, exception.what());
  } catch (...) {
    answer_foreign(request, "an exception of an unknown type");
  }
}

}  // namespace perigee::poa
