// Connects by TLS. Private to transport/tls.
#pragma once

#include "transport/tls/tls_contexts.h"
#include "transport/tls/tls_records.h"
#include <perigee/transport/transport.h>

#include <memory>
#include <string>

namespace perigee::transport::tls {

/// Wraps the connections of the connector of `iiop`. The handshake follows in Transport::open.
class TlsConnector final : public Connector {
 public:
  TlsConnector(std::unique_ptr<Connector> inner, std::shared_ptr<const ContextSource> source,
               bool verify)
      : inner_(std::move(inner)), source_(std::move(source)), verify_(verify) {}

  Begun begin(const Endpoint& endpoint) override;
  Begun look_up(const Endpoint& endpoint) override;
  std::expected<std::unique_ptr<Transport>, IoError> connect(
      const Endpoint& endpoint, std::chrono::milliseconds timeout) override;

 private:
  [[nodiscard]] Begun wrap(Begun begun, const Endpoint& endpoint) const;
  [[nodiscard]] TlsRecords::Setup setup_for(const Endpoint& endpoint) const;

  const std::unique_ptr<Connector> inner_;
  const std::shared_ptr<const ContextSource> source_;
  const bool verify_;
};

}  // namespace perigee::transport::tls
