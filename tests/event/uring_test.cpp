// Behaviour of the poller over io_uring only.
#include "event/handles.h"
#include "support/refuse_io_uring.h"
#include <perigee/event/reactor.h>

#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace perigee::event {
namespace {

using test::FunctionHandler;
using test::HandlePair;
using test::make_handle_pair;
using test::send_octet;

/// Returns null if the kernel has no io_uring; the test ends then.
std::unique_ptr<Reactor> make_uring(Threads threads) {
  auto made = make_reactor(steady_clock(), {}, threads, PollerKind::uring);
  if (made) return std::move(*made);
  MESSAGE("no io_uring here: " << to_string(made.error()));
  return nullptr;
}

TEST_CASE("a handle that a thread has added is reported after that thread has ended") {
  for (const Threads threads : {Threads::one, Threads::several}) {
    const auto reactor = make_uring(threads);
    if (!reactor) return;
    auto pair = make_handle_pair();
    FunctionHandler handler;
    std::thread([&] {
      REQUIRE(reactor->add(pair.far.handle(), handler).has_value());
      reactor->run_once(Deadline::immediately());  // submits the request
    }).join();
    send_octet(pair.near);
    while (handler.calls == 0) reactor->run_once(Deadline::never());
    CHECK(has(handler.seen, Readiness::readable));
    reactor->remove(handler);
  }
}

TEST_CASE("a handle that is added while a thread waits is reported to that thread") {
  const auto reactor = make_uring(Threads::one);
  if (!reactor) return;
  auto pair = make_handle_pair();
  FunctionHandler handler([&](Readiness) { reactor->stop(); });
  std::thread loop([&] { reactor->run(); });
  while (reactor->sleepers() == 0) std::this_thread::yield();
  REQUIRE(reactor->add(pair.far.handle(), handler).has_value());
  send_octet(pair.near);
  loop.join();
  CHECK(handler.calls >= 1);
  reactor->remove(handler);
}

TEST_CASE("the peer sees the end of a connection that is removed and closed") {
  const auto reactor = make_uring(Threads::one);
  if (!reactor) return;
  auto pair = make_handle_pair();
  FunctionHandler handler;
  FunctionHandler peer;
  REQUIRE(reactor->add(pair.far.handle(), handler).has_value());
  REQUIRE(reactor->add(pair.near.handle(), peer).has_value());
  reactor->want_writable(handler, WriteInterest::on);
  reactor->run_once(Deadline::immediately());
  reactor->remove(handler);
  {
    const auto closed = std::move(pair.far);
  }
  while (!has(peer.seen, Readiness::peer_closed)) reactor->run_once(Deadline::never());
  reactor->remove(peer);
}

TEST_CASE("no event is lost when more come than the completion queue holds") {
  constexpr int handle_count = 3;
  constexpr int round_count = 6000;
  const auto reactor = make_uring(Threads::one);
  if (!reactor) return;
  std::vector<HandlePair> pairs;
  std::vector<std::unique_ptr<FunctionHandler>> handlers;
  for (int index = 0; index < handle_count; ++index) {
    pairs.push_back(make_handle_pair());
    handlers.push_back(std::make_unique<FunctionHandler>());
    REQUIRE(reactor->add(pairs.back().far.handle(), *handlers.back()).has_value());
  }
  reactor->run_once(Deadline::immediately());
  std::vector<std::byte> space(round_count);
  const auto drain = [&](HandlePair& pair) {
    return pair.far.recv(MutableOctetSpan(space), ipc::no_wait).has_value();
  };
  for (int round = 0; round < round_count; ++round)
    for (HandlePair& pair : pairs) {
      send_octet(pair.near);
      if (round % 100 == 99) static_cast<void>(drain(pair));
    }
  while (reactor->has_work()) reactor->run_once(Deadline::immediately());
  for (int index = 0; index < handle_count; ++index) {
    CHECK(handlers[static_cast<std::size_t>(index)]->calls > 0);
    handlers[static_cast<std::size_t>(index)]->calls = 0;
    send_octet(pairs[static_cast<std::size_t>(index)].near);
  }
  for (const auto& handler : handlers)
    while (handler->calls == 0) reactor->run_once(Deadline::never());
  for (const auto& handler : handlers) reactor->remove(*handler);
}

TEST_CASE("if the kernel refuses io_uring, making the reactor fails, and epoll still works") {
  std::thread([] {
    test::refuse_io_uring();
    const auto refused = make_reactor(steady_clock(), {}, Threads::one, PollerKind::uring);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == EPERM);
    CHECK(make_reactor().has_value());
  }).join();
}

}  // namespace
}  // namespace perigee::event
