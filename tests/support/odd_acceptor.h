// Protocols whose acceptors run functions of a test.
#pragma once

#include <perigee/transport/tcp.h>
#include <perigee/transport/transport.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace perigee::test {

using Accepted = std::expected<std::unique_ptr<transport::Transport>, IoError>;

/// The functions of a test. Any thread may call them.
struct Oddity {
  /// Called in place of `inner.accept(wait)`, which it may call.
  std::function<Accepted(transport::Acceptor& inner, transport::Wait wait)> accept =
      [](transport::Acceptor& inner, transport::Wait wait) { return inner.accept(wait); };
  std::function<void()> before_interrupt = [] {};
  std::function<void()> before_profile = [] {};  // before the protocol makes a profile
};

class OddAcceptor final : public transport::Acceptor {
 public:
  OddAcceptor(std::unique_ptr<transport::Acceptor> inner, Oddity oddity)
      : inner_(std::move(inner)), oddity_(std::move(oddity)) {}

  Accepted accept(transport::Wait wait) override { return oddity_.accept(*inner_, wait); }
  void interrupt() noexcept override {
    oddity_.before_interrupt();
    inner_->interrupt();
  }
  [[nodiscard]] int readiness_fd() const noexcept override { return inner_->readiness_fd(); }
  [[nodiscard]] const transport::Endpoint& listening() const noexcept override {
    return inner_->listening();
  }
  [[nodiscard]] const transport::Endpoint& published() const noexcept override {
    return inner_->published();
  }

 private:
  const std::unique_ptr<transport::Acceptor> inner_;
  const Oddity oddity_;
};

/// The same as the inner protocol, except for the functions of the test.
class OddProtocol final : public transport::ProtocolFactory {
 public:
  OddProtocol(std::unique_ptr<transport::ProtocolFactory> inner, Oddity oddity)
      : inner_(std::move(inner)), oddity_(std::move(oddity)) {}

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
    return std::make_unique<OddAcceptor>(std::move(*acceptor), oddity_);
  }
  [[nodiscard]] std::vector<std::unique_ptr<iop::ProfileCodec>> make_profile_codecs() override {
    return inner_->make_profile_codecs();
  }
  [[nodiscard]] std::vector<transport::ProfileEndpoint> claim(
      std::uint32_t tag, const iop::ProfileBody& body) const override {
    return inner_->claim(tag, body);
  }
  [[nodiscard]] iop::TaggedProfile make_profile(
      const transport::Endpoint& endpoint, const transport::ProfileSource& source) const override {
    oddity_.before_profile();
    return inner_->make_profile(endpoint, source);
  }

 private:
  const std::unique_ptr<transport::ProtocolFactory> inner_;
  const Oddity oddity_;
};

/// TCP whose `accept` fails as if the system had no handles left, while `fails` returns true.
inline std::unique_ptr<transport::ProtocolFactory> make_flaky_protocol(
    std::function<bool()> fails) {
  auto accept = [fails = std::move(fails)](transport::Acceptor& inner,
                                           transport::Wait wait) -> Accepted {
    if (fails())
      return std::unexpected(IoError{IoErrorKind::limit, IoOperation::accept, 24, "test"});
    return inner.accept(wait);
  };
  return std::make_unique<OddProtocol>(transport::make_tcp_protocol(),
                                       Oddity{.accept = std::move(accept)});
}

}  // namespace perigee::test
