// Accepts TCP connections. Private to transport/tcp.
#pragma once

#include "transport/tcp/tcp_address.h"
#include <perigee/ipc/sock.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <utility>
#include <vector>

namespace perigee::transport {

/// Listens at the first address of a name that can be bound, or at all interfaces.
///
/// Publishes the addresses of `?publish=`. Without this option it publishes the host as it was
/// written, or `ipc::primary_address()` for all interfaces. A lack of handles or memory is
/// IoErrorKind::limit: the connection waits, and the caller should try again later.
class TcpAcceptor final : public Acceptor {
 public:
  static std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint,
                                                                  const TcpOptions& options);

  /// `published` has at least one element.
  TcpAcceptor(ipc::sock::Acceptor acceptor, const TcpOptions& options, Endpoint listening,
              std::vector<Endpoint> published) noexcept
      : acceptor_(std::move(acceptor)),
        options_(options),
        listening_(std::move(listening)),
        published_(std::move(published)) {}

  std::expected<std::unique_ptr<Transport>, IoError> accept(Wait wait) override;
  void interrupt() noexcept override;
  [[nodiscard]] int readiness_fd() const noexcept override { return acceptor_.handle(); }
  [[nodiscard]] const Endpoint& listening() const noexcept override { return listening_; }
  [[nodiscard]] const Endpoint& published() const noexcept override { return published_.front(); }
  [[nodiscard]] std::span<const Endpoint> alternates() const noexcept override {
    return std::span(published_).subspan(1);
  }
  [[nodiscard]] std::expected<std::unique_ptr<Acceptor>, IoError> shard() override;

 private:
  ipc::sock::Acceptor acceptor_;
  const TcpOptions options_;
  Endpoint listening_;
  std::vector<Endpoint> published_;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace perigee::transport
