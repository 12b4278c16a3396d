// A request that a server connection has admitted, and the one answer to it: what is alike whether
// the answer comes in the upcall or later.
#pragma once

#include "orb/context/orb_metrics.h"
#include <perigee/base/deadline.h>
#include <perigee/cdr/buffer.h>
#include <perigee/messaging/protocol.h>
#include <perigee/orb/server_request.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

namespace perigee::orb {

class Conversation;

/// In the conversation's list from admission to its end.
class AdmittedRequest : public ServerRequest {
 public:
  [[nodiscard]] std::string_view peer() const noexcept override;
  [[nodiscard]] std::optional<PeerIdentity> peer_identity() const noexcept override;
  [[nodiscard]] bool expired() const noexcept override {
    return time_limited() && remaining_time() == 0;
  }

  [[nodiscard]] std::uint32_t request_id() const noexcept { return request_id_; }
  /// What has become of it, once it is answered.
  [[nodiscard]] RequestOutcome outcome() const noexcept { return outcome_; }
  /// The client does not want the answer any more. Any thread.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }

 protected:
  /// Encodes the answer into `buffer`, and sends it as part of the upcall; null: later, on any
  /// thread.
  AdmittedRequest(Conversation& conversation, cdr::Buffer* buffer, messaging::Version version,
                  std::uint32_t request_id) noexcept
      : conversation_(conversation), buffer_(buffer), version_(version), request_id_(request_id) {}

  void send_reply(ResultEncoder encode) final;
  void send_user_exception(const CORBA::UserException& exception) final;
  void send_system_exception(const CORBA::SystemException& exception) noexcept final;
  void send_forward(const CORBA::Object& target, bool permanent) final;
  /// Throws what the encoder failed with; then nothing has been sent.
  void send(messaging::ReplyStatus status, ResultEncoder encode);

  [[nodiscard]] Conversation& conversation() const noexcept { return conversation_; }
  [[nodiscard]] messaging::Version version() const noexcept { return version_; }

 private:
  friend class Conversation;

  void write(cdr::Buffer& buffer, messaging::ReplyStatus status, ResultEncoder encode);

  Conversation& conversation_;
  cdr::Buffer* const buffer_;
  const messaging::Version version_;
  const std::uint32_t request_id_;
  RequestOutcome outcome_ = RequestOutcome::oneway;
  std::atomic<bool> cancelled_{false};
  Deadline stop_at_;                     // a deferred request is stopped then
  AdmittedRequest* next_ = nullptr;      // under the conversation's lock
  AdmittedRequest* previous_ = nullptr;  // under the conversation's lock
};

}  // namespace perigee::orb
