// The first call of a connection, and the start of a server, while allocations fail.
#include "engine/both_ways.h"
#include "engine/client/connects.h"
#include "engine/outgoing_fixture.h"
#include "engine/server/server.h"
#include "support/allocations.h"

#include <cerrno>
#include <future>
#include <memory>
#include <new>

using namespace perigee;
using namespace perigee::test;

// An acceptor makes what it needs for calls with the first call.
TEST_CASE("each failed allocation of the first call on a connection ends or refuses the call") {
  const Octets body = octets_of(10);
  bool failed = true;
  for (std::size_t number = 1; failed; ++number) {
    CAPTURE(number);
    BothWays ends;
    TestCall call;
    fail_allocation(number);
    const StartStatus status = call.start(*ends.acceptor, body);
    failed = stop_failing_allocation();
    if (number == 1) CHECK(status == StartStatus::no_memory);
    if (status == StartStatus::started) (void)call.await();
    if (!failed) CHECK(status == StartStatus::started);
    CHECK(call.ends() == (status == StartStatus::started ? 1 : 0));
  }
}

TEST_CASE("a server whose start has failed can be started again, and ends without errors") {
  const engine::EngineSettings settings;
  engine::RequestCount requests{100};
  engine::ParkedOctets parked{1 << 20};
  const engine::EngineContext context{steady_clock(), settings, requests, parked};
  engine::TrafficLedger traffic;
  Echo handler;
  bool failed = true;
  for (std::size_t number = 1; failed; ++number) {
    CAPTURE(number);
    engine::Server server(context, {.loops = 2, .threads = 2, .threads_max = 2}, handler, traffic);
    bool started = false;
    fail_allocation(number);
    try {
      started = server.start().has_value();
    } catch (const std::bad_alloc&) {
      CHECK_FALSE(started);
    }
    failed = stop_failing_allocation();
    if (!started) REQUIRE(server.start().has_value());
    server.stop(engine::Server::Completion::wait);
  }
}

namespace {

/// A connect that ends at once.
class ConnectAtOnce final : public transport::ConnectInProgress {
 public:
  engine::Connects::Made advance() override { return std::make_unique<SendingTransport>(); }
  [[nodiscard]] int handle() const noexcept override { return -1; }
  [[nodiscard]] IoError timed_out() const override { return {}; }
};

/// Looks up each name at once. Then an allocation of the looking-up thread fails.
class FailingLookUp final : public transport::Connector {
 public:
  explicit FailingLookUp(std::size_t number) : number_(number) {}
  Begun begin(const transport::Endpoint& /*endpoint*/) override { return nullptr; }
  Begun look_up(const transport::Endpoint& /*endpoint*/) override {
    auto connect = std::make_unique<ConnectAtOnce>();
    fail_allocation(number_);
    return connect;
  }
  engine::Connects::Made connect(const transport::Endpoint& /*endpoint*/,
                                 std::chrono::milliseconds /*timeout*/) override {
    return std::unexpected(IoError{});
  }

 private:
  const std::size_t number_;
};

}  // namespace

TEST_CASE("each failed allocation between a look-up and its connect is reported by `done`") {
  bool connected = false;
  for (std::size_t number = 1; !connected; ++number) {
    CAPTURE(number);
    engine::Connects connects(1, steady_clock());
    std::promise<engine::Connects::Made> promise;
    connects.connect(
        {std::make_shared<FailingLookUp>(number),
         {"test", "peer"},
         Deadline::never(),
         [&promise](engine::Connects::Made made) noexcept { promise.set_value(std::move(made)); }});
    auto result = promise.get_future();
    REQUIRE(result.wait_for(std::chrono::seconds(20)) == std::future_status::ready);
    const auto made = result.get();
    connected = made.has_value();
    if (!connected) CHECK((made.error().code == ENOMEM || made.error().code == EAGAIN));
    connects.stop();
    if (number == 1) CHECK_FALSE(connected);
  }
}
