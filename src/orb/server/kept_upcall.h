// A request whose message is kept, so that another thread can dispatch it.
#pragma once

#include "engine/loops/context.h"
#include "orb/core/orb_core.h"
#include "orb/serving/kept_request.h"
#include "orb/serving/server_interception.h"
#include <perigee/cdr/decoded_memory.h>
#include <perigee/messaging/message.h>
#include <perigee/messaging/protocol.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace perigee::engine {
struct IncomingRequest;
}

namespace perigee::orb {

/// The interception of the deferred request while the KeptUpcall replies through it. It runs no
/// ending interception points, because the KeptUpcall has run them. It only passes on the service
/// contexts of the interceptors.
class RepliedInterception final : public ServerInterception {
 public:
  /// `owner` must outlive the reply.
  explicit RepliedInterception(ServerInterception& owner) noexcept : owner_(owner) {}

  [[nodiscard]] ServerReplacement replying(ServerRequest& /*request*/) noexcept override {
    return {};
  }
  [[nodiscard]] ServerReplacement raising(ServerRequest& /*request*/,
                                          const CORBA::Exception& /*exception*/) noexcept override {
    return {};
  }
  [[nodiscard]] ServerReplacement forwarding(ServerRequest& /*request*/,
                                             const CORBA::Object& /*target*/) noexcept override {
    return {};
  }
  void parked(ServerRequest& /*request*/) noexcept override {}
  [[nodiscard]] std::span<const iop::ServiceContext> reply_contexts(
      std::span<const iop::ServiceContext> others) override {
    return owner_.reply_contexts(others);
  }

 private:
  ServerInterception& owner_;
};

/// Used by one thread at a time. Replies through a deferred request, so a slow client does not
/// block the thread that dispatches the kept request.
class KeptUpcall final : public KeptRequest {
 public:
  /// `share`: the part of -ORBHeldSizeMax that this request uses until it is destroyed.
  KeptUpcall(OrbCore& core, engine::ParkedShare share) noexcept
      : core_(core), share_(std::move(share)) {}

  /// Takes the message out of `request`. `later` is the deferred request through which the reply is
  /// sent.
  void begin(engine::IncomingRequest& request, std::unique_ptr<ServerRequest> later);

  void begin_upcall() override;
  [[nodiscard]] bool is_with_server() const noexcept override {
    return response_ == messaging::ResponseFlags::with_server;
  }
  [[nodiscard]] std::string_view peer() const noexcept override { return later_->peer(); }
  [[nodiscard]] std::optional<PeerIdentity> peer_identity() const noexcept override {
    return later_->peer_identity();
  }
  [[nodiscard]] const PeerCertificate* peer_certificate() const noexcept override {
    return later_->peer_certificate();
  }
  [[nodiscard]] bool expired() const noexcept override {
    return time_limited() && remaining_time() == 0;
  }
  [[nodiscard]] std::span<const iop::ServiceContext> contexts() const noexcept override {
    return request_contexts_;
  }

 private:
  [[nodiscard]] ServerRequest* make_deferred() override;
  void send_reply(ResultEncoder encode) override;
  void send_user_exception(const CORBA::UserException& exception) override;
  void send_system_exception(const CORBA::SystemException& exception) noexcept override;
  void send_forward(const CORBA::Object& target, bool permanent) override;

  OrbCore& core_;
  engine::ParkedShare share_;
  messaging::IncomingMessage message_;
  messaging::ContextStorage contexts_;
  std::span<const iop::ServiceContext> request_contexts_;  // in `message_`
  cdr::DecodedMemory decoded_memory_;                      // of the arguments
  messaging::ResponseFlags response_ = messaging::ResponseFlags::with_target;
  std::unique_ptr<ServerRequest> later_;  // null once the servant defers its reply
};

}  // namespace perigee::orb
