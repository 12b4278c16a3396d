// Accepts TLS connections. Private to transport/tls.
#pragma once

#include "transport/tls/tls_contexts.h"
#include <perigee/transport/transport.h>

#include <memory>
#include <vector>

namespace perigee::transport::tls {

/// Wraps the connections of an acceptor of `iiop`. The handshake follows in Transport::open, so a
/// client that stalls does not hold up the acceptor.
class TlsAcceptor final : public Acceptor {
 public:
  TlsAcceptor(std::unique_ptr<Acceptor> inner, std::shared_ptr<const ContextSource> source);

  std::expected<std::unique_ptr<Transport>, IoError> accept(Wait wait) override;
  void interrupt() noexcept override { inner_->interrupt(); }
  [[nodiscard]] int readiness_fd() const noexcept override { return inner_->readiness_fd(); }
  [[nodiscard]] const Endpoint& listening() const noexcept override { return listening_; }
  [[nodiscard]] const Endpoint& published() const noexcept override { return published_; }
  [[nodiscard]] std::span<const Endpoint> alternates() const noexcept override {
    return alternates_;
  }
  [[nodiscard]] std::expected<std::unique_ptr<Acceptor>, IoError> shard() override;

 private:
  const std::unique_ptr<Acceptor> inner_;
  const std::shared_ptr<const ContextSource> source_;
  const Endpoint listening_;
  const Endpoint published_;
  std::vector<Endpoint> alternates_;
};

}  // namespace perigee::transport::tls
