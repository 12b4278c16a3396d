// Passes the outcomes of asynchronous calls to reply handlers.
#include "orb/serving/log_operation.h"
#include <perigee/base/pool.h>
#include <perigee/orb/ami.h>

#include <memory>
#include <utility>

namespace Messaging {
inline namespace perigee_v1 {

bool ReplyHandler::_implements(std::string_view repository_id) const noexcept {
  return perigee::stub::same(repository_id, _type_id) || CORBA::Object::_implements(repository_id);
}

}  // namespace perigee_v1
}  // namespace Messaging

namespace perigee::stub {

CORBA::object_reference<Messaging::ExceptionHolder> hold_exception(std::exception_ptr exception) {
  return CORBA::object_reference<Messaging::ExceptionHolder>(
      make_counted<Messaging::ExceptionHolder>(std::move(exception)));
}

namespace {

void log_thrown(const CallOutcome& outcome, const char* thrown) noexcept {
  orb::log_operation(log::Level::warning, outcome.operation().name,
                     {"its reply handler has thrown ", thrown});
}

}  // namespace

void* ReplyObserver::operator new(std::size_t size) { return pool::allocate(size); }
void ReplyObserver::operator delete(void* memory, std::size_t size) noexcept {
  pool::release(memory, size);
}

void ReplyObserver::ended(CallOutcome& outcome) noexcept {
  const std::unique_ptr<ReplyObserver> self(this);
  try {
    pass_on(outcome);
  } catch (const std::exception& exception) {
    log_thrown(outcome, exception.what());
  } catch (...) {
    log_thrown(outcome, "an exception of an unknown type");
  }
}

void send_observed(const CORBA::Object& target, const Operation& operation, Arguments arguments,
                   ReplyObserver* observer) {
  try {
    const CallHandle call = send(target, operation, std::move(arguments), *observer);
  } catch (...) {  // the call has not begun, so the observer would never be told and deleted
    delete observer;
    throw;
  }
}

}  // namespace perigee::stub
