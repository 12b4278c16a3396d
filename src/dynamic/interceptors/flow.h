// The rules that the flows of both sides share: the ending points run in reverse order, and each of
// them may replace the outcome for the remaining ones. Source: CORBA 3.0, 21.3.3 and 21.3.4.
#pragma once

#include "dynamic/interceptors/exception_value.h"
#include <perigee/dynamic/interceptor.h>
#include <perigee/orb/object.h>

#include <cstddef>
#include <exception>
#include <utility>

namespace perigee::interceptors {

/// The kind of an ending point.
enum class Ending : std::uint8_t { reply, exception, other };

/// The outcome of a request, which ending points see and may replace.
struct FlowOutcome {
  Ending ending = Ending::reply;
  PortableInterceptor::ReplyStatus status = PortableInterceptor::SUCCESSFUL;
  SeenException exception;                         ///< with the ending `exception`
  CORBA::object_reference<CORBA::Object> forward;  ///< with the status LOCATION_FORWARD
  bool replaced = false;                           ///< an interceptor has replaced it

  void raise(const std::exception_ptr& thrown) {
    exception = see(thrown);
    ending = Ending::exception;
    status = exception.status;
    forward = nullptr;
  }
  void forward_to(CORBA::object_reference<CORBA::Object> target) {
    ending = Ending::other;
    status = PortableInterceptor::LOCATION_FORWARD;
    forward = std::move(target);
  }
  /// Takes over the exception that is being handled, which an interceptor has thrown. NO_MEMORY if
  /// there is no memory for it.
  void replace_by_current() noexcept;

 private:
  void take_current();
};

/// Runs the ending points of the first `depth` interceptors, the last one first. `call(index)`
/// calls the point of `outcome.ending`.
template <typename Call>
void run_endings(std::size_t& depth, FlowOutcome& outcome, const Call& call) {
  while (depth > 0) {
    --depth;
    try {
      call(depth);
    } catch (...) {
      outcome.replace_by_current();
    }
  }
}

}  // namespace perigee::interceptors
