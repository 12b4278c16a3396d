// TCP whose acceptors fail when a test says so.
#pragma once

#include <perigee/transport/tcp.h>
#include <perigee/transport/transport.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace perigee::test {

/// Whether to fail, instead of accepting: as if the system had no handles left.
/// Asked on the thread that accepts.
using AcceptFails = std::function<bool()>;

class FlakyAcceptor final : public transport::Acceptor {
 public:
  FlakyAcceptor(std::unique_ptr<transport::Acceptor> inner, AcceptFails fails)
      : inner_(std::move(inner)), fails_(std::move(fails)) {}

  std::expected<std::unique_ptr<transport::Transport>, IoError> accept(
      transport::Wait wait) override {
    if (fails_())
      return std::unexpected(IoError{IoErrorKind::limit, IoOperation::accept, 24, "test"});
    return inner_->accept(wait);
  }
  void interrupt() noexcept override { inner_->interrupt(); }
  [[nodiscard]] int readiness_fd() const noexcept override { return inner_->readiness_fd(); }
  [[nodiscard]] const transport::Endpoint& listening() const noexcept override {
    return inner_->listening();
  }
  [[nodiscard]] const transport::Endpoint& published() const noexcept override {
    return inner_->published();
  }

 private:
  std::unique_ptr<transport::Acceptor> inner_;
  const AcceptFails fails_;
};

/// TCP, but for its acceptors.
class FlakyProtocol final : public transport::ProtocolFactory {
 public:
  explicit FlakyProtocol(AcceptFails fails) : fails_(std::move(fails)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    return inner_->schemes();
  }
  [[nodiscard]] std::unique_ptr<transport::Connector> make_connector() override {
    return inner_->make_connector();
  }
  std::expected<std::unique_ptr<transport::Acceptor>, IoError> listen(
      const transport::Endpoint& endpoint) override {
    auto acceptor = inner_->listen(endpoint);
    if (!acceptor) return acceptor;
    return std::make_unique<FlakyAcceptor>(std::move(*acceptor), fails_);
  }
  [[nodiscard]] std::vector<transport::ProfileEndpoint> claim(
      std::uint32_t tag, const iop::ProfileBody& body) const override {
    return inner_->claim(tag, body);
  }
  [[nodiscard]] iop::TaggedProfile make_profile(
      const transport::Endpoint& endpoint, const transport::ProfileSource& source) const override {
    return inner_->make_profile(endpoint, source);
  }

 private:
  const std::unique_ptr<transport::ProtocolFactory> inner_ = transport::make_tcp_protocol();
  const AcceptFails fails_;
};

}  // namespace perigee::test
