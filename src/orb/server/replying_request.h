// A request of a server connection as the adapters see it: encodes its one reply and sends it.
#pragma once

#include "engine/connection/connection.h"
#include "orb/context/orb_metrics.h"
#include "orb/context/settings.h"
#include <perigee/cdr/buffer.h>
#include <perigee/messaging/protocol.h>
#include <perigee/orb/server_request.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace perigee::orb {

/// Used by one thread at a time.
class ReplyingRequest : public ServerRequest {
 public:
  [[nodiscard]] std::string_view peer() const noexcept override;
  [[nodiscard]] std::optional<PeerIdentity> peer_identity() const noexcept override;
  [[nodiscard]] const PeerCertificate* peer_certificate() const noexcept override;
  [[nodiscard]] bool expired() const noexcept override {
    return time_limited() && remaining_time() == 0;
  }
  /// The outcome of the request. Before a reply is sent, and for a request without a reply,
  /// `oneway`; `refused` after `note_refused`.
  [[nodiscard]] RequestOutcome outcome() const noexcept {
    return refused_ ? RequestOutcome::refused : outcome_;
  }
  [[nodiscard]] engine::Connection& connection() const noexcept { return connection_; }
  /// Adds the outcome and the latency to the metrics. Called once, when the request has ended.
  void count(OrbMetrics& metrics, const LatencyTimer& timer) const noexcept;

 protected:
  ReplyingRequest(engine::Connection& connection, std::uint32_t id,
                  messaging::Version version) noexcept
      : connection_(connection), id_(id), version_(version) {}

  void send_reply(ResultEncoder encode) final;
  void send_intercepted_reply(ResultEncoder encode) final;
  void send_user_exception(const CORBA::UserException& exception) final;
  void send_system_exception(const CORBA::SystemException& exception) noexcept final;
  void send_forward(const CORBA::Object& target, bool permanent) final;
  /// Throws the encoder's error. Then nothing has been sent.
  void send(messaging::ReplyStatus status, ResultEncoder encode,
            std::span<const iop::ServiceContext> contexts = {});
  void send_with(messaging::ReplyStatus status, ResultEncoder encode,
                 std::span<const iop::ServiceContext> contexts);
  /// Results of at least `link_size_min` octets are not copied into the buffer.
  void write(cdr::Buffer& buffer, const messaging::ReplyHeader& header, ResultEncoder encode,
             std::size_t link_size_min);

  /// A limit of the server was reached before the upcall.
  void note_refused() noexcept { refused_ = true; }
  [[nodiscard]] virtual bool cancelled() const noexcept = 0;
  /// Encodes the reply with `write` and sends it.
  virtual void transmit(const messaging::ReplyHeader& header, ResultEncoder encode) = 0;
  /// The texts of exceptions that the client gets.
  [[nodiscard]] virtual SentDetails details() const noexcept = 0;

 private:
  /// What a reply with an exception contains in addition to the exception.
  enum class Extras : std::uint8_t { none, contexts };

  [[nodiscard]] bool send_with_detail(const CORBA::SystemException& exception) noexcept;
  [[nodiscard]] bool send_plain(const CORBA::SystemException& exception, Extras extras) noexcept;

  engine::Connection& connection_;
  const std::uint32_t id_;
  const messaging::Version version_;
  RequestOutcome outcome_ = RequestOutcome::oneway;
  bool refused_ = false;
};

}  // namespace perigee::orb
