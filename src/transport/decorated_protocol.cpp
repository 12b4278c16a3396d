// Forwards to another protocol, and wraps the transports that it makes.
#include "transport/decorated_protocol.h"

#include <utility>

namespace perigee::transport {
namespace {

// Shared by the protocol and the objects that it makes.
using Wrappers = std::shared_ptr<const TransportWrappers>;

class DecoratedConnect final : public ConnectInProgress {
 public:
  DecoratedConnect(std::unique_ptr<ConnectInProgress> inner, Wrappers wrappers)
      : inner_(std::move(inner)), wrappers_(std::move(wrappers)) {}
  std::expected<std::unique_ptr<Transport>, IoError> advance() override {
    auto transport = inner_->advance();
    if (!transport || *transport == nullptr) return transport;
    return wrappers_->connected(std::move(*transport));
  }
  [[nodiscard]] int handle() const noexcept override { return inner_->handle(); }
  [[nodiscard]] IoError timed_out() const override { return inner_->timed_out(); }

 private:
  const std::unique_ptr<ConnectInProgress> inner_;
  const Wrappers wrappers_;
};

class DecoratedConnector final : public Connector {
 public:
  DecoratedConnector(std::unique_ptr<Connector> inner, Wrappers wrappers)
      : inner_(std::move(inner)), wrappers_(std::move(wrappers)) {}
  std::expected<std::unique_ptr<Transport>, IoError> connect(
      const Endpoint& endpoint, std::chrono::milliseconds timeout) override {
    auto transport = inner_->connect(endpoint, timeout);
    if (!transport) return transport;
    return wrappers_->connected(std::move(*transport));
  }
  Begun begin(const Endpoint& endpoint) override { return wrapped(inner_->begin(endpoint)); }
  Begun look_up(const Endpoint& endpoint) override { return wrapped(inner_->look_up(endpoint)); }

 private:
  [[nodiscard]] Begun wrapped(Begun begun) const {
    if (!begun || *begun == nullptr) return begun;
    return std::make_unique<DecoratedConnect>(std::move(*begun), wrappers_);
  }

  const std::unique_ptr<Connector> inner_;
  const Wrappers wrappers_;
};

class DecoratedAcceptor final : public Acceptor {
 public:
  DecoratedAcceptor(std::unique_ptr<Acceptor> inner, Wrappers wrappers)
      : inner_(std::move(inner)), wrappers_(std::move(wrappers)) {}
  std::expected<std::unique_ptr<Transport>, IoError> accept(Wait wait) override {
    auto transport = inner_->accept(wait);
    if (!transport || !*transport) return transport;
    return wrappers_->accepted(std::move(*transport));
  }
  void interrupt() noexcept override { inner_->interrupt(); }
  [[nodiscard]] int readiness_fd() const noexcept override { return inner_->readiness_fd(); }
  [[nodiscard]] const Endpoint& listening() const noexcept override { return inner_->listening(); }
  [[nodiscard]] const Endpoint& published() const noexcept override { return inner_->published(); }
  [[nodiscard]] std::span<const Endpoint> alternates() const noexcept override {
    return inner_->alternates();
  }
  [[nodiscard]] std::span<const iop::TaggedComponent> iiop_components() const noexcept override {
    return inner_->iiop_components();
  }
  [[nodiscard]] std::uint64_t datagrams_dropped() const noexcept override {
    return inner_->datagrams_dropped();
  }
  [[nodiscard]] std::expected<std::unique_ptr<Acceptor>, IoError> shard() override {
    auto inner = inner_->shard();
    if (!inner) return inner;
    return std::make_unique<DecoratedAcceptor>(std::move(*inner), wrappers_);
  }

 private:
  const std::unique_ptr<Acceptor> inner_;
  const Wrappers wrappers_;
};

class DecoratedProtocol final : public ProtocolFactory {
 public:
  DecoratedProtocol(std::unique_ptr<ProtocolFactory> inner, Wrappers wrappers)
      : inner_(std::move(inner)), wrappers_(std::move(wrappers)) {}
  [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    return inner_->schemes();
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override {
    return decorate(inner_->make_connector());
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector_with(
      const Properties& properties) override {
    return decorate(inner_->make_connector_with(properties));
  }
  [[nodiscard]] std::uint32_t protocol_tag() const noexcept override {
    return inner_->protocol_tag();
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) override {
    return decorate(inner_->listen(endpoint));
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen_with(
      const Endpoint& endpoint, const Properties& properties) override {
    return decorate(inner_->listen_with(endpoint, properties));
  }
  std::expected<void, IoError> reload() override { return inner_->reload(); }
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
  // Null: the protocol makes no connections.
  [[nodiscard]] std::unique_ptr<Connector> decorate(std::unique_ptr<Connector> connector) const {
    if (connector == nullptr) return nullptr;
    return std::make_unique<DecoratedConnector>(std::move(connector), wrappers_);
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> decorate(
      std::expected<std::unique_ptr<Acceptor>, IoError> acceptor) const {
    if (!acceptor) return acceptor;
    return std::make_unique<DecoratedAcceptor>(std::move(*acceptor), wrappers_);
  }

  const std::unique_ptr<ProtocolFactory> inner_;
  const Wrappers wrappers_;
};

}  // namespace

std::unique_ptr<ProtocolFactory> decorate_protocol(std::unique_ptr<ProtocolFactory> inner,
                                                   TransportWrappers wrappers) {
  return std::make_unique<DecoratedProtocol>(
      std::move(inner), std::make_shared<const TransportWrappers>(std::move(wrappers)));
}

}  // namespace perigee::transport
