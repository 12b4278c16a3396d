// Accepting when the system has no handles left: the server tries again, and serves.
#include "orb/server/server_fixture.h"

#include <atomic>

using namespace perigee;
using namespace perigee::test;

namespace {

/// Fails as often as it was told, then accepts.
class FlakyAcceptor final : public transport::Acceptor {
 public:
  FlakyAcceptor(std::unique_ptr<transport::Acceptor> inner, std::atomic<int>& failures_left)
      : inner_(std::move(inner)), failures_left_(failures_left) {}

  std::expected<std::unique_ptr<transport::Transport>, IoError> accept(
      transport::Wait wait) override {
    if (failures_left_.fetch_sub(1) > 0)
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
  std::atomic<int>& failures_left_;
};

/// TCP, but for its acceptors.
class FlakyProtocol final : public transport::ProtocolFactory {
 public:
  explicit FlakyProtocol(std::atomic<int>& failures_left) : failures_left_(failures_left) {}

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
    return std::make_unique<FlakyAcceptor>(std::move(*acceptor), failures_left_);
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
  std::atomic<int>& failures_left_;
};

}  // namespace

TEST_CASE("a server that runs out of handles accepts again when there are some") {
  std::atomic<int> failures_left{3};
  orb::Settings settings = server_settings(each_strategy());
  settings.accept_retry_delay = std::chrono::milliseconds(1);
  TestOrb orb(settings, std::make_unique<FlakyProtocol>(failures_left));
  const auto object = orb.root()->servant_to_reference(make_servant(add_one));
  orb.serve();
  RawClient client(orb.endpoint_of(object));
  CHECK(client.call({.key = orb.key_of(object), .argument = 1}).result() == 2);
  CHECK(failures_left < 0);
}

// Or it would be told that there is no object whose adapter is still to be made.
TEST_CASE("a client that comes before a manager is active waits, and is served then") {
  std::atomic<int> failures_left{1};
  orb::Settings settings = server_settings(each_strategy());
  settings.accept_retry_delay = std::chrono::milliseconds(1);
  TestOrb orb(settings, std::make_unique<FlakyProtocol>(failures_left));
  const auto object = orb.root()->servant_to_reference(make_servant(add_one));
  RawClient client(orb.endpoint_of(object));
  client.send(make_request({.key = orb.key_of(object), .argument = 1}));
  CHECK(failures_left == 1);  // nothing was accepted, nor was it tried
  orb.serve();
  CHECK(client.reply().result() == 2);
}
