// Listeners: how many connections one turn accepts.
#include "engine/server/listeners.h"

#include "support/ended_transport.h"
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

using namespace perigee;
using namespace perigee::engine;
using perigee::test::EndedTransport;

namespace {

/// Always has a connection to accept, until it is interrupted.
class FloodedAcceptor final : public transport::Acceptor {
 public:
  FloodedAcceptor() : handle_(eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~FloodedAcceptor() override { close(handle_); }
  FloodedAcceptor(const FloodedAcceptor&) = delete;
  FloodedAcceptor& operator=(const FloodedAcceptor&) = delete;

  std::expected<std::unique_ptr<transport::Transport>, IoError> accept(
      transport::Wait /*wait*/) override {
    if (interrupted_) return nullptr;
    return std::make_unique<EndedTransport>();
  }
  void interrupt() noexcept override { interrupted_ = true; }
  [[nodiscard]] int readiness_fd() const noexcept override { return handle_; }
  [[nodiscard]] const transport::Endpoint& listening() const noexcept override { return nowhere_; }
  [[nodiscard]] const transport::Endpoint& published() const noexcept override { return nowhere_; }

 private:
  const int handle_;
  bool interrupted_ = false;
  transport::Endpoint nowhere_;
};

/// Drops each connection, and keeps its place.
class CountingOwner final : public ListenersOwner {
 public:
  void take(Accepted /*accepted*/, Reactor& /*reactor*/) override { ++count; }
  void give_place_back(Place /*place*/) noexcept override { ++given_back; }
  std::uint32_t count = 0;
  std::uint32_t given_back = 0;
};

}  // namespace

TEST_CASE("a listener with a flood of connections accepts a limited number in one turn") {
  EngineSettings settings;
  settings.server_connections_max = 5'000;
  RequestCount requests(1);
  ParkedOctets parked(1);
  const EngineContext context{steady_clock(), settings, requests, parked};
  const auto reactor = std::move(*event::make_reactor());
  const auto messages = giop::make_giop();
  FloodedAcceptor acceptor;
  ConnectionCount connections(settings.server_connections_max);
  CountingOwner owner;
  const std::uint32_t& count = owner.count;
  Listeners listeners(context, *reactor, connections, owner);
  listeners.add({acceptor, *messages});
  for (std::uint32_t turn = 1; turn <= 3; ++turn) {
    reactor->run_once(Deadline::immediately());
    CHECK(count <= turn * 2 * accepts_per_turn_max);
    CHECK(reactor->has_work());
  }
  CHECK(count >= accepts_per_turn_max);
  acceptor.interrupt();
  listeners.stop();
}

TEST_CASE("listeners of several loops share the places of connections") {
  EngineSettings settings;
  RequestCount requests(1);
  ParkedOctets parked(1);
  const EngineContext context{steady_clock(), settings, requests, parked};
  const auto reactor = std::move(*event::make_reactor());
  const auto messages = giop::make_giop();
  FloodedAcceptor first_acceptor;
  FloodedAcceptor second_acceptor;
  ConnectionCount connections(3);
  CountingOwner owner;
  Listeners first(context, *reactor, connections, owner);
  Listeners second(context, *reactor, connections, owner);
  first.add({first_acceptor, *messages});
  second.add({second_acceptor, *messages});
  reactor->run_once(Deadline::immediately());
  CHECK(owner.count == 3);
  CHECK_FALSE(reactor->has_work());
  CHECK(connections.remove(Place::taken));
  second.place_is_free();
  reactor->run_once(Deadline::immediately());
  reactor->run_once(Deadline::immediately());
  CHECK(owner.count == 4);
  CHECK(connections.count() == 3);
  first_acceptor.interrupt();
  second_acceptor.interrupt();
  first.stop();
  second.stop();
  CHECK(owner.given_back == 0);
}

TEST_CASE("a place that is refused does not change the count") {
  constexpr std::size_t max = 2;
  ConnectionCount connections(max);
  REQUIRE(connections.try_add());
  REQUIRE(connections.try_add());
  std::atomic<int> given{0};
  std::atomic<bool> over{false};
  std::thread asking([&] {
    for (int count = 0; count < 200'000; ++count)
      if (connections.try_add()) given.fetch_add(1);
    over.store(true);
  });
  std::size_t most = 0;
  while (!over.load()) most = std::max(most, connections.count());
  asking.join();
  CHECK(given.load() == 0);
  CHECK(most <= max);
}
