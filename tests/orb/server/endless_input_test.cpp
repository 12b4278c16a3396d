// Peers that never stop sending: their transport always has octets to receive. A loop must also
// serve the other connections.
#include "orb/server/server_fixture.h"
#include "support/odd_acceptor.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

using transport::Wait;

/// After the first octets of a malformed or a large message, the input never ends.
class EndlessTransport final : public transport::Transport {
 public:
  explicit EndlessTransport(std::unique_ptr<Transport> inner)
      : Transport(transport::Features{.buffers = true}), inner_(std::move(inner)) {}

  IoResult receive(MutableOctetSpan space, Wait wait) override {
    if (interrupted_) return {0, IoStatus::end_of_stream, 0};
    if (endless_) {
      std::ranges::fill(space, std::byte{1});
      return {space.size(), IoStatus::ok, 0};
    }
    const IoResult result = inner_->receive(space, wait);
    endless_ = result.ok() && (space.front() != std::byte{'G'} || is_large(space));
    return result;
  }
  IoResult send(std::span<const OctetSpan> segments, Wait wait) override {
    return inner_->send(segments, wait);
  }
  IoResult set_receive_timeout(std::chrono::microseconds timeout) override {
    return inner_->set_receive_timeout(timeout);
  }
  IoResult set_send_timeout(std::chrono::microseconds timeout) override {
    return inner_->set_send_timeout(timeout);
  }
  void shutdown_send() noexcept override { inner_->shutdown_send(); }
  void interrupt() noexcept override {
    interrupted_ = true;
    inner_->interrupt();
  }
  [[nodiscard]] bool buffered() const noexcept override { return endless_; }
  [[nodiscard]] int readiness_fd() const noexcept override { return inner_->readiness_fd(); }
  [[nodiscard]] const std::string& peer() const noexcept override { return inner_->peer(); }

 private:
  static bool is_large(OctetSpan message) {
    std::uint32_t size = 0;
    std::memcpy(&size, message.data() + 8, 4);
    return size > 1'000'000;
  }

  const std::unique_ptr<Transport> inner_;
  bool endless_ = false;  // used by the receiving thread
  std::atomic<bool> interrupted_{false};
};

std::unique_ptr<transport::ProtocolFactory> make_endless_protocol() {
  const auto accept = [](transport::Acceptor& inner, Wait wait) -> Accepted {
    auto accepted = inner.accept(wait);
    if (!accepted || !*accepted) return accepted;
    return std::make_unique<EndlessTransport>(std::move(*accepted));
  };
  return std::make_unique<OddProtocol>(transport::make_tcp_protocol(), Oddity{.accept = accept});
}

}  // namespace

TEST_CASE("a peer that goes on sending after MessageError delays no client, and is disconnected") {
  orb::Settings settings = server_settings(each_strategy());
  settings.threads = 1;
  ServerFixture server(TestParts{.settings = settings, .protocol = make_endless_protocol()});
  RawClient hostile(server.endpoint);
  hostile.send(octets('N', 'O', 'G', 'I', 'O', 'P', 0, 0, 0, 0, 0, 0));
  CHECK(hostile.reply().type() == type_message_error);
  RawClient other(server.endpoint);
  CHECK(other.call({.key = server.key, .argument = 5}).result() == 6);
  CHECK(hostile.at_end());
}

TEST_CASE("a client that sends a large message takes turns with the other clients") {
  constexpr std::uint32_t large = 0x0101'0101;  // the same octets as the endless input
  orb::Settings settings = server_settings(ThreadStrategy::reactive);
  settings.threads = 1;
  SUBCASE("reactive") {}
  SUBCASE("thread-pool") { settings.thread_strategy = ThreadStrategy::thread_pool; }
  SUBCASE("reactor-per-core") { settings.thread_strategy = ThreadStrategy::reactor_per_core; }
  std::promise<void> entered;
  std::promise<void> leave;
  std::vector<std::uint32_t> seen;  // used by the only serving thread
  ServerFixture server(TestParts{.settings = settings, .protocol = make_endless_protocol()},
                       [&](orb::ServerRequest& request) {
                         std::uint32_t argument = 0;
                         request.arguments() >> argument;
                         seen.push_back(argument);
                         if (argument != 0) return;
                         entered.set_value();
                         leave.get_future().wait();
                       });
  RawClient modest(server.endpoint);
  CHECK(modest.call({.key = server.key, .id = 1, .argument = 1}).id() == 1);
  RawClient greedy(server.endpoint);
  greedy.send(make_request({.key = server.key, .id = 2, .response_flags = 0, .argument = 0}));
  entered.get_future().wait();
  Octets message = make_request({.key = server.key, .id = 3, .argument = large});
  const std::uint32_t size = 60'000'000;
  std::memcpy(message.data() + 8, &size, 4);
  greedy.send(message);
  modest.send(make_request({.key = server.key, .id = 4, .argument = 2}));
  leave.set_value();
  CHECK(modest.reply().id() == 4);
  CHECK(greedy.reply().id() == 3);
  CHECK(seen == std::vector<std::uint32_t>{1, 0, 2, large});
}
