// A call that a connection ends by itself: with its reply, or with the reason why there is none.
#pragma once

#include "engine/connection/outbound_calls.h"
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/function_ref.h>
#include <perigee/cdr/buffer.h>
#include <perigee/messaging/protocol.h>

#include <cstdint>

namespace perigee::engine {

/// Why a call has no reply.
enum class CallFailure : std::uint8_t {
  none,
  deadline,        ///< the time of the call is over; the connection goes on
  closed_by_peer,  ///< CloseConnection: the peer has not executed the request
  reply_cut,       ///< CloseConnection after the first fragment of the reply
  message_error,   ///< the peer answered MessageError
  bad_message,     ///< the peer has sent a malformed message
  transfer,        ///< sending or receiving failed, or the stream has ended
  no_first_reply,  ///< a new connection has brought no reply within `first_reply_timeout`
  shut_down,       ///< this side has ended the connection
};

/// How a call has ended. Pointers are valid until `StartedCall::ended` returns.
struct CallEnd {
  CallFailure failure = CallFailure::none;
  /// The peer may have the whole request.
  bool request_accepted = true;
  messaging::IncomingMessage* message = nullptr;  ///< null: there is no reply
  messaging::Parsed<messaging::ReplyHeader>* reply = nullptr;
  messaging::Parsed<messaging::LocateReplyHeader>* location = nullptr;
  messaging::FramingError framing = messaging::FramingError::bad_header;
  int error_code = 0;  ///< errno of a failed transfer

  /// Whether the peer certainly has not executed the request.
  [[nodiscard]] bool not_executed() const noexcept {
    return failure != CallFailure::none &&
           (!request_accepted || failure == CallFailure::closed_by_peer);
  }
};

/// Must exist until `ended` is called. If `start_call` does not return `started`, `ended` is not
/// called: then the call must exist until `start_call` returns.
class StartedCall : public OutboundCall {
 public:
  /// Called once for each start that has succeeded, without locks. The calling thread reads the
  /// connection, runs the timers, or starts the call. The call may be started again, or destroyed,
  /// from here.
  virtual void ended(CallEnd& end) noexcept = 0;

  /// The version of the request. CancelRequest has the same version.
  messaging::Version version;
  /// `ended` runs code of the application (an observer), so another thread may read meanwhile.
  bool may_block = false;
  /// Only with `may_block`: the code of the application is mostly short. The same thread reads the
  /// next reply, unless `ended` waits inside the ORB, or the supervisor finds that it takes long.
  bool mostly_short = false;
  /// On a thread of the connection's loop, the request may leave at the end of the thread's turn,
  /// together with others. A thread that waits inside the ORB ends its turn.
  bool may_wait_for_turn = false;

 protected:
  virtual ~StartedCall() = default;

 private:
  friend class Connection;
  Deadline deadline_;
  TimePoint sent_at_;           // set only until the first reply of the peer
  std::uint64_t position_ = 0;  // in the outgoing queue
};

/// Encodes a whole request with the id that the connection has chosen. The buffer is the caller's.
/// Null: the request cannot be encoded. May throw bad_alloc.
using EncodeRequest =
    function_ref<const cdr::Buffer*(const messaging::Session& session, std::uint32_t id)>;

/// How the start of a call went. Unless it is `started` or `sent`, the request was not sent whole.
enum class StartStatus : std::uint8_t {
  started,      ///< `ended` will run, runs, or has run
  sent,         ///< a oneway: it is over, and `ended` does not run
  not_encoded,  ///< `EncodeRequest` has returned null
  too_many,     ///< calls, or octets that wait to be sent
  closed,       ///< the connection ends, or has ended
  no_memory,
  too_deep,  ///< too many upcalls of the calling thread wait already
};

/// The result of `Connection::call`.
struct CallResult {
  StartStatus start = StartStatus::started;
  CallFailure failure = CallFailure::none;
  bool request_accepted = false;
  int error_code = 0;
  messaging::IncomingMessage message;  ///< the reply, with storage of its own, to be parsed
};

/// The calls of a connection are all of this type.
[[nodiscard]] inline StartedCall& started(OutboundCall& call) noexcept {
  return static_cast<StartedCall&>(call);
}

}  // namespace perigee::engine
