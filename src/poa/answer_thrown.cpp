// The one place that knows what becomes of each kind of exception.
#include "poa/answer_thrown.h"

#include <perigee/base/log.h>
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

// An exception after the answer has nobody to go to.
void answer_exception(orb::ServerRequest& request, const CORBA::Exception& exception) noexcept {
  if (!request.answered()) return request.reply_exception(exception);
  log::write(log::Level::warning, "poa", exception.what());
}

}  // namespace

void answer_thrown(orb::ServerRequest& request) noexcept {
  try {
    throw;
  } catch (const PortableServer::ForwardRequest& forward) {
    answer_forward(request, forward);
  } catch (const CORBA::Exception& exception) {
    answer_exception(request, exception);
  } catch (const std::bad_alloc&) {
    answer_exception(request, CORBA::NO_MEMORY(0, COMPLETED_MAYBE));
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "poa", exception.what());
    answer_exception(request, CORBA::UNKNOWN(0, COMPLETED_MAYBE));
  } catch (...) {
    answer_exception(request, CORBA::UNKNOWN(0, COMPLETED_MAYBE));
  }
}

}  // namespace perigee::poa
