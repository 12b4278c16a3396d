// Forwards to the connectors and acceptors below, and wraps the transports that they make.
#include "transport/wrapped_connections.h"

#include <utility>
#include <vector>

namespace perigee::transport {
namespace {

using Made = ConnectionWrapper::Made;

class WrappedConnect final : public ConnectInProgress {
 public:
  WrappedConnect(std::unique_ptr<ConnectInProgress> inner, SharedWrapper wrapper, Endpoint endpoint)
      : inner_(std::move(inner)), wrapper_(std::move(wrapper)), endpoint_(std::move(endpoint)) {}
  Made advance() override {
    auto transport = inner_->advance();
    if (!transport) return std::unexpected(wrapper_->outer(std::move(transport.error())));
    if (*transport == nullptr) return transport;
    return wrapper_->connected(std::move(*transport), endpoint_);
  }
  [[nodiscard]] int handle() const noexcept override { return inner_->handle(); }
  [[nodiscard]] IoError timed_out() const override { return wrapper_->outer(inner_->timed_out()); }

 private:
  const std::unique_ptr<ConnectInProgress> inner_;
  const SharedWrapper wrapper_;
  const Endpoint endpoint_;
};

class WrappedConnector final : public Connector {
 public:
  WrappedConnector(std::unique_ptr<Connector> inner, SharedWrapper wrapper)
      : inner_(std::move(inner)), wrapper_(std::move(wrapper)) {}
  Made connect(const Endpoint& endpoint, std::chrono::milliseconds timeout) override {
    auto transport = inner_->connect(wrapper_->inner(endpoint), timeout);
    if (!transport) return std::unexpected(wrapper_->outer(std::move(transport.error())));
    return wrapper_->connected(std::move(*transport), endpoint);
  }
  Begun begin(const Endpoint& endpoint) override {
    return wrapped(inner_->begin(wrapper_->inner(endpoint)), endpoint);
  }
  Begun look_up(const Endpoint& endpoint) override {
    return wrapped(inner_->look_up(wrapper_->inner(endpoint)), endpoint);
  }

 private:
  [[nodiscard]] Begun wrapped(Begun begun, const Endpoint& endpoint) const {
    if (!begun) return std::unexpected(wrapper_->outer(std::move(begun.error())));
    if (*begun == nullptr) return begun;
    return std::make_unique<WrappedConnect>(std::move(*begun), wrapper_, endpoint);
  }

  const std::unique_ptr<Connector> inner_;
  const SharedWrapper wrapper_;
};

class WrappedAcceptor final : public Acceptor {
 public:
  WrappedAcceptor(std::unique_ptr<Acceptor> inner, SharedWrapper wrapper)
      : inner_(std::move(inner)),
        wrapper_(std::move(wrapper)),
        listening_(wrapper_->outer(inner_->listening())),
        published_(wrapper_->outer(inner_->published())) {
    for (const Endpoint& alternate : inner_->alternates())
      alternates_.push_back(wrapper_->outer(alternate));
  }
  Made accept(Wait wait) override {
    auto transport = inner_->accept(wait);
    if (!transport) return std::unexpected(wrapper_->outer(std::move(transport.error())));
    if (*transport == nullptr) return transport;
    return wrapper_->accepted(std::move(*transport));
  }
  void interrupt() noexcept override { inner_->interrupt(); }
  [[nodiscard]] int readiness_fd() const noexcept override { return inner_->readiness_fd(); }
  [[nodiscard]] const Endpoint& listening() const noexcept override { return listening_; }
  [[nodiscard]] const Endpoint& published() const noexcept override { return published_; }
  [[nodiscard]] std::span<const Endpoint> alternates() const noexcept override {
    return alternates_;
  }
  [[nodiscard]] std::span<const iop::TaggedComponent> iiop_components() const noexcept override {
    if (!wrapper_->shows_components()) return {};
    return inner_->iiop_components();
  }
  [[nodiscard]] std::uint64_t datagrams_dropped() const noexcept override {
    return inner_->datagrams_dropped();
  }
  [[nodiscard]] std::expected<std::unique_ptr<Acceptor>, IoError> shard() override {
    return wrap(inner_->shard(), wrapper_);
  }

 private:
  const std::unique_ptr<Acceptor> inner_;
  const SharedWrapper wrapper_;
  const Endpoint listening_;
  const Endpoint published_;
  std::vector<Endpoint> alternates_;
};

}  // namespace

std::unique_ptr<Connector> wrap(std::unique_ptr<Connector> inner, SharedWrapper wrapper) {
  if (inner == nullptr) return nullptr;
  return std::make_unique<WrappedConnector>(std::move(inner), std::move(wrapper));
}

std::expected<std::unique_ptr<Acceptor>, IoError> wrap(
    std::expected<std::unique_ptr<Acceptor>, IoError> inner, SharedWrapper wrapper) {
  if (!inner) return std::unexpected(wrapper->outer(std::move(inner.error())));
  return std::make_unique<WrappedAcceptor>(std::move(*inner), std::move(wrapper));
}

}  // namespace perigee::transport
