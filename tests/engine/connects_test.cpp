// Connects: hosts that do not answer, slow look-ups of names, deadlines, `stop`, lack of memory.
// Connectors are scripted. Some hosts are sockets of this host whose queues are full.
#include "engine/client/connects.h"

#include "engine/outgoing_fixture.h"
#include "support/handshake_transport.h"
#include "support/memory_transport.h"
#include "support/process_threads.h"
#include "support/temporary_folder.h"
#include <perigee/base/clock.h>
#include <perigee/event/signal.h>
#include <perigee/ipc/sock.h>
#include <perigee/transport/local.h>
#include <perigee/transport/shared_memory.h>
#include <perigee/transport/tcp.h>

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {

namespace {

using engine::Connects;
using std::chrono::milliseconds;
using transport::ConnectInProgress;
using transport::Connector;
using transport::Endpoint;
using Begun = Connector::Begun;

constexpr std::chrono::seconds patience{20};

/// A connect that ends when its signal is raised. `end` gives its result.
class ScriptedConnect final : public ConnectInProgress {
 public:
  using End = std::function<Connects::Made()>;
  explicit ScriptedConnect(End end, bool at_once) : end_(std::move(end)), over_(at_once) {}

  Connects::Made advance() override {
    if (!std::exchange(over_, true)) return nullptr;
    return end_();
  }
  [[nodiscard]] int handle() const noexcept override { return signal_.handle(); }
  [[nodiscard]] IoError timed_out() const override {
    return {IoErrorKind::timed_out, IoOperation::connect, 0, "scripted"};
  }
  void answer() const noexcept { signal_.raise(); }

 private:
  const End end_;
  bool over_;
  const event::Signal signal_ = event::Signal::make();
};

Connects::Made sending_transport() { return std::make_unique<SendingTransport>(); }

/// A connector whose functions a test can replace.
class ScriptedConnector final : public Connector {
 public:
  std::function<Begun()> on_begin = [] { return nullptr; };
  std::function<Begun()> on_look_up = [] { return nullptr; };
  std::function<Connects::Made()> on_connect = sending_transport;

  Begun begin(const Endpoint& /*endpoint*/) override { return on_begin(); }
  Begun look_up(const Endpoint& /*endpoint*/) override { return on_look_up(); }
  Connects::Made connect(const Endpoint& /*endpoint*/, milliseconds /*timeout*/) override {
    return on_connect();
  }
};

/// A connect that a test begins. The test can wait for the result.
class Wish {
 public:
  Wish(Connects& connects, std::shared_ptr<Connector> connector, Deadline until = Deadline::never(),
       const Endpoint& endpoint = {"test", "peer"}) {
    connects.connect(
        {std::move(connector), endpoint, until, [promise = promise_](Connects::Made made) noexcept {
           promise->set_value(std::move(made));
         }});
  }
  [[nodiscard]] bool is_done(std::chrono::nanoseconds limit = {}) const {
    return result_.wait_for(limit) == std::future_status::ready;
  }
  [[nodiscard]] Connects::Made result() {
    REQUIRE(is_done(patience));
    return result_.get();
  }

 private:
  std::shared_ptr<std::promise<Connects::Made>> promise_ =  // shared with the thread that connects
      std::make_shared<std::promise<Connects::Made>>();
  std::future<Connects::Made> result_ = promise_->get_future();
};

std::shared_ptr<ScriptedConnector> connector_that_begins(ScriptedConnect::End end, bool at_once) {
  auto connector = std::make_shared<ScriptedConnector>();
  connector->on_begin = [end, at_once] { return std::make_unique<ScriptedConnect>(end, at_once); };
  return connector;
}

/// The ends of a connection with a handshake: each end must be opened before it carries messages.
struct HandshakePair {
  std::shared_ptr<std::unique_ptr<transport::Transport>> client;  // until a connect has taken it
  std::unique_ptr<transport::Transport> server;
};

HandshakePair make_handshake_pair() {
  MemoryPair pair = make_memory_pair();
  using Transport = std::unique_ptr<transport::Transport>;
  return {
      std::make_shared<Transport>(add_handshake(std::move(pair.first), messaging::Role::opener)),
      add_handshake(std::move(pair.second), messaging::Role::acceptor)};
}

std::shared_ptr<ScriptedConnector> connector_that_brings(
    std::shared_ptr<std::unique_ptr<transport::Transport>> client) {
  return connector_that_begins([client]() -> Connects::Made { return std::move(*client); }, true);
}

/// The number of threads of this process, after the system has removed the threads that were
/// joined. A sanitizer starts a thread of its own with the first thread, so this function starts
/// a thread.
std::size_t settled_threads() {
  std::thread([] {}).join();
  std::size_t count = threads_of_process();
  for (int unchanged = 0; unchanged != 20; ++unchanged) {
    std::this_thread::sleep_for(milliseconds(1));
    const std::size_t now = threads_of_process();
    if (std::exchange(count, now) != now) unchanged = 0;
  }
  return count;
}

/// A listening socket whose queue is full: the system drops requests to connect to it.
class DeadHost {
 public:
  DeadHost() {
    REQUIRE(::listen(acceptor_.handle(), 0) == 0);
    for (;;) {
      auto filler = ipc::sock::Connector::start(acceptor_.local_address().value()).value();
      auto connected = filler.finish(milliseconds(50));
      if (!connected) return;
      in_queue_.push_back(std::move(*connected));
    }
  }
  [[nodiscard]] Endpoint endpoint() const {
    return {"iiop", to_string(acceptor_.local_address().value())};
  }

 private:
  ipc::sock::Acceptor acceptor_ = ipc::sock::Acceptor::open(ipc::InetAddr::loopback()).value();
  std::vector<ipc::sock::Stream> in_queue_;
};

}  // namespace

TEST_CASE("connects: a hundred connects that never end delay no other connection") {
  Connects connects(4, steady_clock());
  const auto threads = settled_threads();
  const auto dead = connector_that_begins(sending_transport, false);
  std::vector<std::unique_ptr<Wish>> wishes;
  for (int count = 0; count < 100; ++count)
    wishes.push_back(std::make_unique<Wish>(connects, dead));
  Wish live(connects, connector_that_begins(sending_transport, true));
  CHECK(live.result().has_value());
  CHECK(threads_of_process() == threads + 1);
  CHECK(std::ranges::none_of(wishes, [](const auto& wish) { return wish->is_done(); }));
  connects.stop();
}

TEST_CASE("connects: four dead hosts delay no other connection") {
  const DeadHost hosts[4];
  auto live_host = ipc::sock::Acceptor::open(ipc::InetAddr::loopback()).value();
  const auto tcp = transport::make_tcp_protocol();
  const std::shared_ptr<Connector> connector = tcp->make_connector();
  Connects connects(1, steady_clock());
  const Deadline until = Deadline::after(milliseconds(400), steady_clock().now());
  std::vector<std::unique_ptr<Wish>> dead;
  for (const DeadHost& host : hosts)
    dead.push_back(std::make_unique<Wish>(connects, connector, until, host.endpoint()));
  Wish live(connects, connector, until, {"iiop", to_string(live_host.local_address().value())});
  Wish named(connects, connector, until,
             {"iiop", "localhost:" + std::to_string(live_host.local_address().value().port())});
  CHECK(live.result().has_value());
  CHECK(named.result().has_value());
  CHECK(std::ranges::none_of(dead, [](const auto& wish) { return wish->is_done(); }));
  for (const auto& wish : dead) CHECK(wish->result().error().kind == IoErrorKind::timed_out);
}

TEST_CASE("connects: stopped servers at shared memory delay no other connection of this host") {
  const TemporaryFolder folder;
  const auto local = transport::make_local_protocol();
  const auto memory = transport::make_shared_memory_protocol(transport::make_local_protocol());
  const std::shared_ptr<Connector> to_memory = memory->make_connector();
  Connects connects(1, steady_clock());
  const Deadline until = Deadline::after(milliseconds(400), steady_clock().now());
  std::vector<std::unique_ptr<transport::Acceptor>> stopped;  // they accept nothing
  std::vector<std::unique_ptr<Wish>> dead;
  for (const char* const name : {"one", "two", "three", "four"}) {
    const Endpoint endpoint{"shmiop", folder.file(name)};
    stopped.push_back(memory->listen(endpoint).value());
    dead.push_back(std::make_unique<Wish>(connects, to_memory, until, endpoint));
  }
  const Endpoint endpoint{"uiop", folder.file("live")};
  const auto acceptor = local->listen(endpoint).value();
  Wish live(connects, local->make_connector(), until, endpoint);
  CHECK(live.result().has_value());
  CHECK(std::ranges::none_of(dead, [](const auto& wish) { return wish->is_done(); }));
  for (const auto& wish : dead) CHECK(wish->result().error().kind == IoErrorKind::timed_out);
}

TEST_CASE("connects: a refused connection is reported with its endpoint") {
  auto closed = ipc::sock::Acceptor::open(ipc::InetAddr::loopback()).value();
  const std::string address = to_string(closed.local_address().value());
  closed = {};
  const auto tcp = transport::make_tcp_protocol();
  Connects connects(1, steady_clock());
  Wish wish(connects, tcp->make_connector(), Deadline::never(), {"iiop", address});
  const IoError error = wish.result().error();
  CHECK(error.code == ECONNREFUSED);
  CHECK(error.endpoint.contains(address));
}

TEST_CASE("connects: slow look-ups of names delay no numeric address") {
  Connects connects(2, steady_clock());
  std::promise<void> found;
  const std::shared_future<void> name = found.get_future().share();
  const auto slow = std::make_shared<ScriptedConnector>();
  slow->on_look_up = [name] {
    name.wait();
    return std::make_unique<ScriptedConnect>(sending_transport, true);
  };
  Wish first(connects, slow);
  Wish second(connects, slow);
  Wish third(connects, slow);
  Wish numeric(connects, connector_that_begins(sending_transport, true));
  CHECK(numeric.result().has_value());
  CHECK_FALSE(first.is_done());
  found.set_value();
  for (Wish* const wish : {&first, &second, &third}) CHECK(wish->result().has_value());
}

TEST_CASE("connects: a protocol that can only block while it connects gets a thread") {
  Connects connects(1, steady_clock());
  Wish wish(connects, std::make_shared<ScriptedConnector>());
  CHECK(wish.result().has_value());
}

TEST_CASE("connects: errors of the first step are also reported by `done`") {
  Connects connects(1, steady_clock());
  const auto refuses = std::make_shared<ScriptedConnector>();
  refuses->on_begin = refuses->on_look_up = []() -> Begun {
    return std::unexpected(IoError{IoErrorKind::bad_address, IoOperation::connect, 0, "nowhere"});
  };
  Wish wish(connects, refuses);
  CHECK(wish.result().error().kind == IoErrorKind::bad_address);
  Wish without_connector(connects, nullptr);
  CHECK(without_connector.result().error().kind == IoErrorKind::unsupported);
}

TEST_CASE("connects: a handshake goes on when its transport is ready, and delays no connection") {
  const HandshakePair ready = make_handshake_pair();
  Connects connects(1, steady_clock());
  Wish opened(connects, connector_that_brings(ready.client));
  CHECK(ready.server->open(transport::Wait::yes).ok());
  auto made = opened.result();
  REQUIRE(made.has_value());
  CHECK((*made)->open(transport::Wait::no).ok());

  const HandshakePair mute = make_handshake_pair();
  Wish waiting(connects, connector_that_brings(mute.client),
               Deadline::after(milliseconds(100), steady_clock().now()));
  Wish other(connects, connector_that_begins(sending_transport, true));
  CHECK(other.result().has_value());
  const auto late = waiting.result();
  REQUIRE_FALSE(late.has_value());
  CHECK(late.error().kind == IoErrorKind::timed_out);

  HandshakePair refused = make_handshake_pair();
  Wish failing(connects, connector_that_brings(refused.client));
  refused.server.reset();
  const auto ended = failing.result();
  REQUIRE_FALSE(ended.has_value());
  CHECK(ended.error().endpoint.ends_with("(handshake)"));
}

TEST_CASE("connects: a protocol that can only block does its handshake on the blocked thread") {
  const HandshakePair pair = make_handshake_pair();
  auto connector = std::make_shared<ScriptedConnector>();
  connector->on_connect = [&pair]() -> Connects::Made { return std::move(*pair.client); };
  Connects connects(1, steady_clock());
  Wish opened(connects, connector);
  CHECK(pair.server->open(transport::Wait::yes).ok());
  CHECK(opened.result().has_value());
}

TEST_CASE("connects: lack of memory ends one connect") {
  Connects connects(1, steady_clock());
  const auto fails = [](const auto&...) -> Connects::Made { throw std::bad_alloc(); };
  Wish in_step(connects, connector_that_begins(fails, true));
  CHECK(in_step.result().error().code == ENOMEM);
  const auto in_look_up = std::make_shared<ScriptedConnector>();
  in_look_up->on_look_up = []() -> Begun { throw std::bad_alloc(); };
  Wish name(connects, in_look_up);
  CHECK(name.result().error().code == ENOMEM);
  Wish next(connects, connector_that_begins(sending_transport, true));
  CHECK(next.result().has_value());
}

TEST_CASE("connects: the thread ends when no connect is left, and a later connect starts it") {
  Connects connects(1, steady_clock());
  const auto threads = settled_threads();
  const auto dead = connector_that_begins(sending_transport, false);
  for (int round = 0; round < 20; ++round) {
    Wish wish(connects, dead, Deadline::after(milliseconds(1), steady_clock().now()));
    CHECK(wish.result().error().kind == IoErrorKind::timed_out);
  }
  const auto end = steady_clock().now() + patience;
  while (threads_of_process() != threads && steady_clock().now() < end) std::this_thread::yield();
  CHECK(threads_of_process() == threads);
}

TEST_CASE("connects: `stop` gives up connects in progress, and no connect begins after it") {
  std::optional<Connects> connects;
  connects.emplace(1, steady_clock());
  const auto dead = connector_that_begins(sending_transport, false);
  Wish before(*connects, dead);
  connects->stop();
  Wish after(*connects, dead);
  connects.reset();
  CHECK_FALSE(before.is_done());
  CHECK_FALSE(after.is_done());
}

}  // namespace perigee::test
