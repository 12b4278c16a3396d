// One request in its upcall on a server connection.
#pragma once

#include "orb/server/admitted_request.h"
#include <perigee/messaging/protocol.h>

namespace perigee::orb {

class Conversation;
struct ServingThread;

/// Lives on the stack of the thread that dispatches it, during which the message and the thread's
/// buffers are its own.
class PendingReply final : public AdmittedRequest {
 public:
  PendingReply(Conversation& conversation, messaging::IncomingMessage& message,
               const messaging::Parsed<messaging::RequestHeader>& request,
               ServingThread& thread) noexcept;

  ~PendingReply() override;

  /// Learns from the request how long its caller waits, counted from when it was first read here.
  void take_time_limit(const messaging::RequestHeader& header) noexcept;
  [[nodiscard]] Hold hold() override;
  /// Whether others of its connection that came before it are held, so that it has to wait for
  /// them, or is refused.
  [[nodiscard]] bool waits_behind_others();
  void begin_upcall() override;

  /// The server keeps the request for later: it will be dispatched again, as another PendingReply.
  [[nodiscard]] bool held() const noexcept { return held_; }

 private:
  [[nodiscard]] ServerRequest* make_deferred() override;
  [[nodiscard]] const void* gate() const noexcept;

  messaging::IncomingMessage& message_;
  ServingThread& thread_;
  messaging::ResponseFlags response_;
  bool held_ = false;
  bool waits_ = false;  // a thread waits, or has waited, with the message
};

}  // namespace perigee::orb
