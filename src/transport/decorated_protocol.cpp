// Forwards to another protocol, and wraps the transports that it makes.
#include "transport/decorated_protocol.h"

#include "transport/wrapped_connections.h"

#include <utility>

namespace perigee::transport {
namespace {

class Decoration final : public ConnectionWrapper {
 public:
  explicit Decoration(TransportWrappers wrappers) : wrappers_(std::move(wrappers)) {}
  [[nodiscard]] Made connected(std::unique_ptr<Transport> transport,
                               const Endpoint& /*endpoint*/) const override {
    return wrappers_.connected(std::move(transport));
  }
  [[nodiscard]] Made accepted(std::unique_ptr<Transport> transport) const override {
    return wrappers_.accepted(std::move(transport));
  }

 private:
  const TransportWrappers wrappers_;
};

class DecoratedProtocol final : public ProtocolFactory {
 public:
  DecoratedProtocol(std::unique_ptr<ProtocolFactory> inner, SharedWrapper decoration)
      : inner_(std::move(inner)), decoration_(std::move(decoration)) {}
  [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    return inner_->schemes();
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override {
    return wrap(inner_->make_connector(), decoration_);
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector_with(
      const Properties& properties) override {
    return wrap(inner_->make_connector_with(properties), decoration_);
  }
  [[nodiscard]] std::uint32_t protocol_tag() const noexcept override {
    return inner_->protocol_tag();
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) override {
    return wrap(inner_->listen(endpoint), decoration_);
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen_with(
      const Endpoint& endpoint, const Properties& properties) override {
    return wrap(inner_->listen_with(endpoint, properties), decoration_);
  }
  std::expected<void, IoError> reload() override { return inner_->reload(); }
  [[nodiscard]] bool has_files() const noexcept override { return inner_->has_files(); }
  [[nodiscard]] messaging::Carrier carrier() const noexcept override { return inner_->carrier(); }
  [[nodiscard]] std::vector<std::unique_ptr<iop::ProfileCodec>> make_profile_codecs() override {
    return inner_->make_profile_codecs();
  }
  [[nodiscard]] std::vector<ProfileEndpoint> claim(std::uint32_t tag,
                                                   const iop::ProfileBody& body) const override {
    return inner_->claim(tag, body);
  }
  [[nodiscard]] iop::TaggedProfile make_profile(const Endpoint& endpoint,
                                                const ProfileSource& source) const override {
    return inner_->make_profile(endpoint, source);
  }

 private:
  const std::unique_ptr<ProtocolFactory> inner_;
  const SharedWrapper decoration_;
};

}  // namespace

std::unique_ptr<ProtocolFactory> decorate_protocol(std::unique_ptr<ProtocolFactory> inner,
                                                   TransportWrappers wrappers) {
  return std::make_unique<DecoratedProtocol>(
      std::move(inner), std::make_shared<const Decoration>(std::move(wrappers)));
}

}  // namespace perigee::transport
