// The state of a CORBA::Request.
#pragma once

#include "dynamic/requests/deferred_call.h"
#include "dynamic/requests/dynamic_call.h"
#include "dynamic/requests/request_queue.h"
#include "orb/context/orb_context.h"
#include <perigee/base/counted_ptr.h>
#include <perigee/base/function_ref.h>
#include <perigee/orb/object.h>

#include <cstdint>
#include <memory>

namespace perigee::dynamic {

/// Runs the ORB's asynchronous calls until `done()`, but for a millisecond at most.
void drive_briefly(const orb::OrbContext& context, function_ref<bool()> done);

/// One thread at a time.
class RequestState final {
 public:
  RequestState(CORBA::object_reference<CORBA::Object> target, DynamicCall call)
      : target_(std::move(target)), call_(std::move(call)) {}
  RequestState(const RequestState&) = delete;
  RequestState& operator=(const RequestState&) = delete;

  [[nodiscard]] const CORBA::object_reference<CORBA::Object>& target() const noexcept {
    return target_;
  }
  [[nodiscard]] DynamicCall& call() noexcept { return call_; }
  /// Raises BAD_INV_ORDER if the request was sent.
  void check_unsent() const;

  void invoke(CalledOperation::Kind kind);
  void send_deferred();
  /// @name The two steps of `send_multiple_requests_deferred`, for the request `self` of this
  /// state.
  /// @{
  /// Puts the request into the queue, so that `start_queued` needs no memory of the queue.
  void enter(const std::shared_ptr<RequestQueue>& queue,
             const CORBA::object_reference<CORBA::Request>& self);
  /// Undoes `enter`.
  void leave(const CORBA::Request& self) noexcept;
  /// Starts the call. An exception becomes the outcome of the call. Another thread may take and
  /// destroy the request meanwhile.
  void start_queued(const std::shared_ptr<RequestQueue>& queue,
                    const CORBA::Request& self) noexcept;
  /// @}
  [[nodiscard]] bool poll();
  void get_response(const CORBA::Request& self);

 private:
  enum class Stage : std::uint8_t { unsent, sent, deferred, taken };

  void check_deferred() const;

  const CORBA::object_reference<CORBA::Object> target_;
  DynamicCall call_;
  Stage stage_ = Stage::unsent;
  counted_ptr<DeferredCall> deferred_;  // in stage `deferred`
  std::weak_ptr<RequestQueue> queue_;   // null unless the request was put into a queue
};

}  // namespace perigee::dynamic
