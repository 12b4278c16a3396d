// Connectors and acceptors over those of another protocol: for decorators, for schemes that pair
// messages with a transport, and for TLS. Private to transport.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/transport/transport.h>

#include <expected>
#include <memory>
#include <string>
#include <utility>

namespace perigee::transport {

/// The differences of connections from those of the protocol below. The default: none. Any thread.
class PERIGEE_INTERNAL_TYPE ConnectionWrapper {
 public:
  using Made = std::expected<std::unique_ptr<Transport>, IoError>;

  virtual ~ConnectionWrapper() = default;
  /// `inner` converts an endpoint to one of the protocol below, and `outer` converts it back. In an
  /// error, `outer` puts the endpoint that the caller knows.
  [[nodiscard]] virtual Endpoint inner(Endpoint endpoint) const { return endpoint; }
  [[nodiscard]] virtual Endpoint outer(Endpoint endpoint) const { return endpoint; }
  [[nodiscard]] virtual IoError outer(IoError error) const { return error; }
  /// Wraps a transport of the protocol below that was connected to the endpoint, or accepted.
  [[nodiscard]] virtual Made connected(std::unique_ptr<Transport> transport,
                                       const Endpoint& /*endpoint*/) const {
    return transport;
  }
  [[nodiscard]] virtual Made accepted(std::unique_ptr<Transport> transport) const {
    return transport;
  }
  /// Whether acceptors have the components of the acceptor below (Acceptor::iiop_components).
  [[nodiscard]] virtual bool shows_components() const noexcept { return true; }
};
using SharedWrapper = std::shared_ptr<const ConnectionWrapper>;

/// Replaces the scheme of the protocol below by another one.
class PERIGEE_INTERNAL_TYPE RenamedScheme : public ConnectionWrapper {
 public:
  RenamedScheme(std::string own, std::string below)
      : own_(std::move(own)), below_(std::move(below)) {}

  // An endpoint with another scheme is not changed: the protocol below refuses it.
  [[nodiscard]] Endpoint inner(Endpoint endpoint) const override {
    if (endpoint.scheme == own_) endpoint.scheme = below_;
    return endpoint;
  }
  [[nodiscard]] Endpoint outer(Endpoint endpoint) const override {
    endpoint.scheme = own_;
    return endpoint;
  }
  [[nodiscard]] IoError outer(IoError error) const override {
    error.endpoint = outer(std::move(error.endpoint));
    return error;
  }
  /// "own://..." for "below://...".
  [[nodiscard]] std::string outer(std::string text) const {
    if (text.starts_with(below_ + "://")) text.replace(0, below_.size(), own_);
    return text;
  }
  [[nodiscard]] bool shows_components() const noexcept override { return false; }
  [[nodiscard]] const std::string& own() const noexcept { return own_; }

 private:
  const std::string own_;
  const std::string below_;
};

/// Null if `inner` is null: the protocol makes no connections.
[[nodiscard]] PERIGEE_INTERNAL_API std::unique_ptr<Connector> wrap(std::unique_ptr<Connector> inner,
                                                                   SharedWrapper wrapper);
[[nodiscard]] PERIGEE_INTERNAL_API std::expected<std::unique_ptr<Acceptor>, IoError> wrap(
    std::expected<std::unique_ptr<Acceptor>, IoError> inner, SharedWrapper wrapper);

}  // namespace perigee::transport
