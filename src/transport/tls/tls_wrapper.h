// Turns connections of `iiop` into connections of `ssliop`. Private to transport/tls.
#pragma once

#include "transport/tls/tls_contexts.h"
#include "transport/tls/tls_records.h"
#include "transport/wrapped_connections.h"

#include <memory>
#include <string_view>

namespace perigee::transport::tls {

inline constexpr std::string_view tls_scheme = "ssliop";

/// The handshake follows in Transport::open, so a client that stalls does not hold up the acceptor.
/// Each connection uses the files that were read last.
class TlsWrapper final : public RenamedScheme {
 public:
  /// `verify`: clients check the certificates of servers.
  TlsWrapper(std::shared_ptr<const ContextSource> source, bool verify)
      : RenamedScheme(std::string(tls_scheme), "iiop"),
        source_(std::move(source)),
        verify_(verify) {}

  [[nodiscard]] Made connected(std::unique_ptr<Transport> transport,
                               const Endpoint& endpoint) const override;
  [[nodiscard]] Made accepted(std::unique_ptr<Transport> transport) const override;

 private:
  [[nodiscard]] Made encrypted(std::unique_ptr<Transport> transport, TlsRecords::Setup setup,
                               IoOperation operation) const;

  const std::shared_ptr<const ContextSource> source_;
  const bool verify_;
};

}  // namespace perigee::transport::tls
