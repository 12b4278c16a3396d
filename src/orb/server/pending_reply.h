// One request in progress on a server connection, and the one answer to it.
#pragma once

#include "orb/orb_metrics.h"
#include <perigee/messaging/protocol.h>
#include <perigee/orb/server_request.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

namespace perigee::orb {

class Conversation;
struct ServingThread;

/// Lives on the stack of the thread that dispatches it, during which the message and the thread's
/// buffers are its own. In the conversation's list from admission to its end.
class PendingReply final : public ServerRequest {
 public:
  PendingReply(Conversation& conversation, messaging::IncomingMessage& message,
               const messaging::Parsed<messaging::RequestHeader>& request,
               ServingThread& thread) noexcept;

  ~PendingReply() override;

  [[nodiscard]] Hold hold() override;
  /// Whether others of its connection that came before it are held, so that it has to wait for
  /// them, or is refused.
  [[nodiscard]] bool waits_behind_others();
  void begin_upcall() override;
  [[nodiscard]] std::string_view peer() const noexcept override;
  [[nodiscard]] std::optional<PeerIdentity> peer_identity() const noexcept override;

  [[nodiscard]] std::uint32_t request_id() const noexcept { return request_id_; }
  /// The server keeps the request for later: it will be dispatched again, as another PendingReply.
  [[nodiscard]] bool held() const noexcept { return held_; }
  /// What has become of it, once it is dispatched and not held.
  [[nodiscard]] RequestOutcome outcome() const noexcept { return outcome_; }
  /// The client does not want the answer any more. Any thread.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }

 protected:
  void send_reply(ResultEncoder encode) override;
  void send_user_exception(const CORBA::UserException& exception) override;
  void send_system_exception(const CORBA::SystemException& exception) noexcept override;
  void send_forward(const CORBA::Object& target, bool permanent) override;

 private:
  friend class Conversation;

  [[nodiscard]] const void* gate() const noexcept;
  void send(messaging::ReplyStatus status, ResultEncoder encode);

  Conversation& conversation_;
  messaging::IncomingMessage& message_;
  ServingThread& thread_;
  const messaging::Version version_;
  const std::uint32_t request_id_;
  messaging::ResponseFlags response_;
  bool held_ = false;
  bool waits_ = false;  // a thread waits, or has waited, with the message
  RequestOutcome outcome_ = RequestOutcome::oneway;
  std::atomic<bool> cancelled_{false};
  PendingReply* next_ = nullptr;      // under the conversation's lock
  PendingReply* previous_ = nullptr;  // under the conversation's lock
};

}  // namespace perigee::orb
