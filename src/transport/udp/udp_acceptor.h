// Accepts the peers of a UDP socket. Private to transport/udp.
#pragma once

#include "transport/udp/udp_socket.h"
#include <perigee/transport/transport.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace perigee::transport {

/// Receives at the first address of a name that can be bound, or at all interfaces. Publishes the
/// same addresses as `iiop`. Peers that were accepted keep the socket open until they end.
class UdpAcceptor final : public Acceptor {
 public:
  static std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint,
                                                                  std::uint32_t peers_max);

  /// `published` has at least one element.
  UdpAcceptor(std::shared_ptr<UdpSocket> socket, Endpoint listening,
              std::vector<Endpoint> published) noexcept
      : socket_(std::move(socket)),
        listening_(std::move(listening)),
        published_(std::move(published)) {}
  ~UdpAcceptor() override;
  UdpAcceptor(const UdpAcceptor&) = delete;
  UdpAcceptor& operator=(const UdpAcceptor&) = delete;

  std::expected<std::unique_ptr<Transport>, IoError> accept(Wait wait) override;
  void interrupt() noexcept override { socket_->stop(); }
  [[nodiscard]] int readiness_fd() const noexcept override { return socket_->readiness_fd(); }
  [[nodiscard]] const Endpoint& listening() const noexcept override { return listening_; }
  [[nodiscard]] const Endpoint& published() const noexcept override { return published_.front(); }
  [[nodiscard]] std::span<const Endpoint> alternates() const noexcept override {
    return std::span(published_).subspan(1);
  }
  [[nodiscard]] std::uint64_t datagrams_dropped() const noexcept override {
    return socket_->dropped();
  }

 private:
  const std::shared_ptr<UdpSocket> socket_;
  const Endpoint listening_;
  const std::vector<Endpoint> published_;
};

}  // namespace perigee::transport
