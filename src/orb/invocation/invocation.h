// The invocation state machine. It chooses a target, gets a connection, sends, waits and classifies
// the reply. It tries again where the rules allow it. It returns errors as values; the caller
// decides what they become.
#pragma once

#include "engine/connection/connection_ref.h"
#include "orb/client/client_connection.h"
#include "orb/client/endpoint_table.h"
#include "orb/connection/call_buffers.h"
#include "orb/connection/invocation_error.h"
#include "orb/invocation/call_steps.h"
#include "orb/invocation/nested_wait.h"
#include "orb/references/reference.h"
#include <perigee/cdr/decoder.h>
#include <perigee/messaging/message.h>
#include <perigee/orb/stub.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::orb {

/// One call. Lives on the stack of the calling thread, which alone uses it. After `run` has
/// succeeded, `status` and `body` are valid until the Invocation is destroyed: `body` refers to the
/// connection's read buffer or, after a collocated call, to a buffer of the Invocation.
class Invocation final : private CallSteps {
 public:
  Invocation(Reference& reference, const InvocationRequest& request);
  ~Invocation();
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  /// Blocks until there is a reply (of status no_exception, user_exception or system_exception),
  /// or, for a oneway, until the transport has taken the request. Null on success.
  [[nodiscard]] const InvocationError* run();

  [[nodiscard]] messaging::ReplyStatus status() const noexcept { return status_; }
  /// Whether the server may have got the request. Called after an exception of `run`.
  [[nodiscard]] bool request_sent() const noexcept { return request_sent_; }
  /// The server's text about its system exception. Called after a reply with such an exception.
  [[nodiscard]] std::string server_text();
  /// Called before `run`. `interception` outlives this object.
  void set_interception(CallInterception& interception) noexcept { interception_ = &interception; }
  /// Called after `run` for an intercepted call: see CallSteps. `error` is the result of `run`.
  /// After `fail`, `intercepted_error` has the exception for the caller.
  [[nodiscard]] CallInterception::Next end_interception(const InvocationError* error);
  [[nodiscard]] const InvocationError& intercepted_error() noexcept { return failure(); }
  /// The time until which the caller waits.
  [[nodiscard]] Deadline deadline() const noexcept { return slot_.deadline; }
  /// The body of the reply: at the results, or at the exception's repository id.
  [[nodiscard]] cdr::Decoder& body() noexcept { return body_; }

 private:
  [[nodiscard]] State connect();
  [[nodiscard]] State check_out(bool serves);
  [[nodiscard]] State transmit();
  enum class Intercepted : bool { no, yes };
  template <Intercepted intercepted>
  [[nodiscard]] inline State transmit_here();
  [[nodiscard]] State transmit_intercepted();
  [[nodiscard]] State call_collocated();
  [[nodiscard]] State classify();
  [[nodiscard]] State after_failure(const TransactResult& result);
  /// The request is a oneway that waits on its connection to be sent together with others.
  [[nodiscard]] bool is_buffered() const noexcept {
    return request_.response == messaging::ResponseFlags::none && request_.buffering &&
           slot_.nested_server == nullptr;
  }
  void begin_time_limits() noexcept;
  void limit_call_over_datagrams() noexcept;
  /// Whether the send deadline has passed, so that the request must not be sent or sent again.
  [[nodiscard]] bool expired() const noexcept {
    return !slot_.send_deadline.is_never() && slot_.send_deadline.passed(context_.clock.now());
  }
  template <Intercepted intercepted>
  [[nodiscard]] inline bool encode_request();
  [[nodiscard]] std::chrono::microseconds time_left() const noexcept;
  [[nodiscard]] TransactResult send_oneway();
  void limit_first_reply();
  [[nodiscard]] State take_intercepted_reply();
  void leave_connection() noexcept;
  // Over a connection for both directions: call_both_directions.cpp.
  [[nodiscard]] State choose_both_directions();
  [[nodiscard]] State transmit_both_directions();
  [[nodiscard]] Deadline reply_deadline() const noexcept;
  [[nodiscard]] State send_oneway_both_directions(engine::EncodeRequest encode);
  [[nodiscard]] State fail_both_directions(const engine::CallResult& result);
  [[nodiscard]] State take_reply_both_directions(engine::CallResult& result);

  CallBuffer request_buffer_;
  std::optional<CallBuffer> reply_buffer_;  // of collocated calls
  ConnectionLease lease_;
  engine::ConnectionRef both_directions_;  // in place of the lease
  ReplySlot slot_;
  NestedWait nested_wait_;
};

}  // namespace perigee::orb
