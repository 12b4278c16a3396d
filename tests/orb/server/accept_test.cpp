// Accepting when the system has no handles left: the server tries again, and serves.
#include "orb/server/acceptor_set.h"
#include "orb/server/server_fixture.h"
#include "support/ended_transport.h"
#include "support/odd_acceptor.h"
#include "support/temporary_folder.h"
#include <perigee/transport/local.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>

using namespace perigee;
using namespace std::chrono_literals;
using namespace perigee::test;

TEST_CASE("a server that has run out of handles accepts again when handles are free") {
  std::atomic<int> failures_left{3};
  orb::Settings settings = server_settings(each_strategy());
  settings.accept_retry_delay = std::chrono::milliseconds(1);
  TestOrb orb(settings, make_flaky_protocol([&] { return failures_left.fetch_sub(1) > 0; }));
  const auto object = orb.root()->servant_to_reference(make_servant(add_one));
  orb.serve();
  RawClient client(orb.endpoint_of(object));
  CHECK(client.call({.key = orb.key_of(object), .argument = 1}).result() == 2);
  CHECK(failures_left < 0);
}

// If the server accepted at once, a client whose adapter is made later would get OBJECT_NOT_EXIST.
TEST_CASE("a client that connects before a POA manager is active is served after the activation") {
  std::atomic<int> failures_left{1};
  orb::Settings settings = server_settings(each_strategy());
  settings.accept_retry_delay = std::chrono::milliseconds(1);
  TestOrb orb(settings, make_flaky_protocol([&] { return failures_left.fetch_sub(1) > 0; }));
  const auto object = orb.root()->servant_to_reference(make_servant(add_one));
  RawClient client(orb.endpoint_of(object));
  client.send(make_request({.key = orb.key_of(object), .argument = 1}));
  CHECK(failures_left == 1);  // the server has not tried to accept
  orb.serve();
  CHECK(client.reply().result() == 2);
}

namespace {

/// Receives until the end of the stream or an error.
IoStatus end_of(transport::Transport& transport) {
  static_cast<void>(transport.set_receive_timeout(10s));
  Octets space(100);
  for (;;) {
    const IoResult received = transport.receive(space, transport::Wait::yes);
    if (!received.ok()) return received.status;
  }
}

}  // namespace

// A UNIX-domain socket keeps the connections in its queue for as long as it lives.
TEST_CASE("a client that connects while a server stops gets the end of the stream") {
  const orb::ThreadStrategy strategy = each_strategy();
  for (const bool serves : {true, false}) {
    CAPTURE(serves);
    const TemporaryFolder folder;
    const transport::Endpoint endpoint{"uiop", folder.file("s")};
    orb::Settings settings = server_settings(strategy);
    settings.listen_endpoints = {endpoint};
    std::unique_ptr<transport::Transport> late;
    const auto connect = [&] {
      const auto connector = transport::make_local_protocol()->make_connector();
      if (!late) late = connector->connect(endpoint, 10s).value();
    };
    TestOrb orb(settings, std::make_unique<OddProtocol>(transport::make_local_protocol(),
                                                        Oddity{.before_interrupt = connect}));
    static_cast<void>(orb.root()->servant_to_reference(make_servant(add_one)));
    if (serves) orb.serve();
    orb.core().shutdown(orb::Completion::wait);
    REQUIRE(late != nullptr);
    CHECK(end_of(*late) != IoStatus::timed_out);
  }
}

namespace {

/// An acceptor at which a connection always waits.
class FloodedAcceptor final : public transport::Acceptor {
 public:
  std::expected<std::unique_ptr<transport::Transport>, IoError> accept(
      transport::Wait /*wait*/) override {
    return std::make_unique<EndedTransport>();
  }
  void interrupt() noexcept override {}
  [[nodiscard]] int readiness_fd() const noexcept override { return -1; }
  [[nodiscard]] const transport::Endpoint& listening() const noexcept override { return nowhere_; }
  [[nodiscard]] const transport::Endpoint& published() const noexcept override { return nowhere_; }

 private:
  transport::Endpoint nowhere_;
};

}  // namespace

TEST_CASE("a server that stops accepts a limited number of waiting connections") {
  FloodedAcceptor acceptor;
  std::uint32_t count = 0;
  engine::take_waiting(acceptor, [&](auto transport) { count += transport ? 1 : 0; });
  CHECK(count == engine::waiting_connections_max);
}

TEST_CASE("closing an unloaded endpoint is tried again after a lack of memory") {
  TestOrb orb(server_settings(ThreadStrategy::thread_per_connection));
  orb::AcceptorSet endpoints;
  REQUIRE(endpoints.open(orb.core()).has_value());
  const auto profiles = [&] {
    return endpoints.make_ior(orb.core().protocols(), {"", {}, nullptr}).profiles.size();
  };
  CHECK(profiles() == 1);
  REQUIRE(orb.core().protocols().remove(orb.core().settings().listen_endpoints.front().scheme));
  int tries = 0;
  const auto close = [&](const orb::Listener& /*listener*/) {
    if (++tries == 1) throw std::bad_alloc();
  };
  for (int look = 0; look < 3; ++look) endpoints.close_removed(orb.core(), close);
  CHECK(tries == 2);
  CHECK(profiles() == 0);
}

TEST_CASE("an endpoint that is added while memory runs out is not served or published") {
  bool has_memory = true;
  const auto check = [&] {
    if (!has_memory) throw std::bad_alloc();
  };
  TestOrb orb(server_settings(ThreadStrategy::thread_per_connection),
              std::make_unique<OddProtocol>(transport::make_tcp_protocol(),
                                            Oddity{.before_profile = check}));
  orb::AcceptorSet endpoints;
  REQUIRE(endpoints.open(orb.core()).has_value());
  std::mutex mutex;
  const bool stopping = false;
  const auto add = [&] {
    return endpoints.add(orb.core(), {"iiop", "127.0.0.1:0"},
                         {mutex, stopping, [](orb::Listener& /*added*/) {}});
  };
  has_memory = false;
  CHECK_THROWS_AS((void)add(), std::bad_alloc);
  has_memory = true;
  CHECK(endpoints.listeners().size() == 1);
  REQUIRE(add().has_value());
  CHECK(endpoints.listeners().size() == 2);
  CHECK(endpoints.make_ior(orb.core().protocols(), {"", {}, nullptr}).profiles.size() == 2);
}
