// The reactor and its handles: edges, removal, interest in writing, the ready list, nesting.
#include "event/handles.h"
#include "event/pollers.h"
#include <perigee/event/handle_state.h>
#include <perigee/event/reactor.h>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace perigee::event {
namespace {

using namespace std::chrono_literals;
using test::FunctionHandler;
using test::HandlePair;
using test::make_handle_pair;
using test::send_octet;

std::unique_ptr<Reactor> make() { return test::make_test_reactor(); }

TEST_CASE("a wait for a handle may have the longest limit") {
  auto pair = make_handle_pair();
  std::jthread sender([&pair] { send_octet(pair.near); });
  await_readable(pair.far.handle(), 1ms * (std::int64_t{1} << 32));  // 0 as a 32-bit number
  CHECK(is_readable(pair.far.handle()));
  await_readable(pair.far.handle(), std::chrono::milliseconds::max());
}

TEST_CASE("a handler is called once for arriving octets, whether it reads them or not") {
  auto reactor = make();
  auto pair = make_handle_pair();
  FunctionHandler handler;
  REQUIRE(reactor->add(pair.far.handle(), handler).has_value());
  reactor->run_once(Deadline::immediately());
  CHECK(handler.calls == 0);
  send_octet(pair.near);
  reactor->run_once(Deadline::never());
  CHECK(handler.calls == 1);
  CHECK(has(handler.seen, Readiness::readable));
  CHECK_FALSE(has(handler.seen, Readiness::writable));
  reactor->run_once(Deadline::immediately());
  CHECK(handler.calls == 1);
  send_octet(pair.near);
  reactor->run_once(Deadline::never());
  CHECK(handler.calls == 2);
  reactor->remove(handler);
}

TEST_CASE("octets that arrived before a handle was added are reported") {
  auto reactor = make();
  auto pair = make_handle_pair();
  send_octet(pair.near);
  FunctionHandler handler;
  REQUIRE(reactor->add(pair.far.handle(), handler).has_value());
  reactor->run_once(Deadline::never());
  CHECK(handler.calls == 1);
}

TEST_CASE("the peer's closing is reported") {
  auto reactor = make();
  auto pair = make_handle_pair();
  FunctionHandler handler;
  REQUIRE(reactor->add(pair.far.handle(), handler).has_value());
  pair.near.close_sender();
  reactor->run_once(Deadline::never());
  CHECK(has(handler.seen, Readiness::peer_closed));
}

TEST_CASE("a handle has only one handler, and an invalid handle is refused") {
  auto reactor = make();
  auto pair = make_handle_pair();
  FunctionHandler first;
  FunctionHandler second;
  REQUIRE(reactor->add(pair.far.handle(), first).has_value());
  CHECK_FALSE(reactor->add(pair.far.handle(), second).has_value());
  CHECK_FALSE(reactor->add(-1, second).has_value());
  reactor->remove(second);  // not the handle's handler
  send_octet(pair.near);
  reactor->run_once(Deadline::never());
  CHECK(first.calls == 1);
  CHECK(second.calls == 0);
}

TEST_CASE("a removed handler is not called, even for an event that was fetched already") {
  auto reactor = make();
  std::vector<HandlePair> pairs;
  for (int count = 0; count < 3; ++count) pairs.push_back(make_handle_pair());
  std::vector<std::unique_ptr<FunctionHandler>> handlers;
  int calls = 0;
  const auto remove_all = [&](Readiness) {
    ++calls;
    for (std::size_t index = 0; index < 3; ++index) {
      reactor->remove(*handlers[index]);
    }
  };
  for (std::size_t index = 0; index < 3; ++index) {
    handlers.push_back(std::make_unique<FunctionHandler>(remove_all));
    REQUIRE(reactor->add(pairs[index].far.handle(), *handlers[index]).has_value());
    send_octet(pairs[index].near);
  }
  reactor->run_once(Deadline::never());
  reactor->run_once(Deadline::immediately());
  CHECK(calls == 1);  // the first handler removed itself and the others
}

TEST_CASE("an event of a closed handle is not reported for a new handle with the same number") {
  auto reactor = make();
  std::vector<HandlePair> pairs;
  pairs.push_back(make_handle_pair());
  pairs.push_back(make_handle_pair());
  FunctionHandler successor;
  std::vector<std::unique_ptr<FunctionHandler>> handlers;
  bool replaced = false;
  for (std::size_t self = 0; self < 2; ++self) {
    handlers.push_back(std::make_unique<FunctionHandler>([&, self](Readiness) {
      if (std::exchange(replaced, true)) return;
      const std::size_t other = 1 - self;
      const int number = pairs[other].far.handle();
      reactor->remove(*handlers[other]);
      pairs[other].far.close();
      auto fresh = make_handle_pair();
      // The system gives out the lowest free number, so one of the two has it.
      auto& taken = fresh.far.handle() == number ? fresh.far : fresh.near;
      REQUIRE(taken.handle() == number);
      REQUIRE(reactor->add(number, successor).has_value());
      pairs.push_back(std::move(fresh));
    }));
  }
  for (std::size_t index = 0; index < 2; ++index) {
    REQUIRE(reactor->add(pairs[index].far.handle(), *handlers[index]).has_value());
    send_octet(pairs[index].near);
  }
  pairs.reserve(3);
  reactor->run_once(Deadline::never());
  CHECK(replaced);
  CHECK(successor.calls == 0);
  CHECK(handlers[0]->calls + handlers[1]->calls == 1);
}

TEST_CASE("readiness to write is reported only while it is wanted") {
  auto reactor = make();
  auto pair = make_handle_pair();
  FunctionHandler handler;
  const int fd = pair.far.handle();
  REQUIRE(reactor->add(fd, handler).has_value());
  reactor->want_writable(handler, WriteInterest::on);
  reactor->run_once(Deadline::never());
  CHECK(has(handler.seen, Readiness::writable));
  reactor->want_writable(handler, WriteInterest::off);
  send_octet(pair.near);
  reactor->run_once(Deadline::never());
  CHECK(has(handler.seen, Readiness::readable));
  CHECK_FALSE(has(handler.seen, Readiness::writable));
  reactor->want_writable(handler, WriteInterest::on);
  handler.seen = Readiness::none;
  reactor->run_once(Deadline::never());
  CHECK(has(handler.seen, Readiness::writable));
}

TEST_CASE("a marked handler is called once in the next turn, without waiting") {
  auto reactor = make();
  FunctionHandler handler;
  reactor->mark_ready(handler);
  reactor->mark_ready(handler);
  reactor->run_once(Deadline::never());
  CHECK(handler.calls == 1);
  CHECK(has(handler.seen, Readiness::readable));
  reactor->run_once(Deadline::immediately());
  CHECK(handler.calls == 1);
}

TEST_CASE("a handler that marks itself again runs in the next turn, after the other handlers") {
  auto reactor = make();
  std::vector<char> order;
  FunctionHandler* again = nullptr;
  FunctionHandler greedy([&](Readiness) {
    order.push_back('g');
    if (order.size() < 4) reactor->mark_ready(*again);
  });
  again = &greedy;
  FunctionHandler modest([&](Readiness) { order.push_back('m'); });
  reactor->mark_ready(greedy);
  reactor->mark_ready(modest);
  reactor->run_once(Deadline::never());
  CHECK((order == std::vector{'g', 'm'}));
  reactor->run_once(Deadline::never());
  CHECK((order == std::vector{'g', 'm', 'g'}));
  reactor->remove(greedy);
}

TEST_CASE("a handler can ask whether its turn calls further handlers") {
  std::vector<bool> answers;
  const auto run = [&answers](std::unique_ptr<Reactor> reactor) {
    answers.clear();
    const auto ask = [&](Readiness) { answers.push_back(reactor->calls_more_in_turn()); };
    FunctionHandler first(ask);
    FunctionHandler second(ask);
    reactor->mark_ready(first);
    reactor->mark_ready(second);
    reactor->run_once(Deadline::never());
    HandlePair pair = make_handle_pair();
    FunctionHandler alone(ask);
    REQUIRE(reactor->add(pair.far.handle(), alone).has_value());
    send_octet(pair.near);
    reactor->run_once(Deadline::never());
    reactor->remove(alone);
  };
  run(make());
  CHECK((answers == std::vector{true, false, false}));
  run(test::make_test_reactor(steady_clock(), Threads::several));
  CHECK((answers == std::vector{true, true, true}));
}

TEST_CASE("removing a handler also removes its mark, even during a turn") {
  auto reactor = make();
  FunctionHandler last;
  FunctionHandler first([&](Readiness) { reactor->remove(last); });
  reactor->mark_ready(first);
  reactor->mark_ready(last);
  reactor->run_once(Deadline::immediately());
  CHECK(first.calls == 1);
  CHECK(last.calls == 0);
}

TEST_CASE("a nested turn delivers the events that the outer turn has fetched but not delivered") {
  auto reactor = make();
  std::vector<HandlePair> pairs;
  pairs.push_back(make_handle_pair());
  pairs.push_back(make_handle_pair());
  std::vector<std::unique_ptr<FunctionHandler>> handlers;
  int depth = 0;
  int depth_max = 0;
  for (std::size_t self = 0; self < 2; ++self) {
    handlers.push_back(std::make_unique<FunctionHandler>([&, self](Readiness) {
      depth_max = std::max(depth_max, ++depth);
      // Waits for the other handler. It would wait for ever if the event were lost.
      while (handlers[1 - self]->calls == 0) reactor->run_once(Deadline::never());
      --depth;
    }));
    REQUIRE(reactor->add(pairs[self].far.handle(), *handlers[self]).has_value());
    send_octet(pairs[self].near);
  }
  reactor->run_once(Deadline::never());
  CHECK(depth_max == 2);
  CHECK(handlers[0]->calls == 1);
  CHECK(handlers[1]->calls == 1);
}

TEST_CASE("hundreds of ready handles are all served") {
  auto reactor = make();
  std::vector<HandlePair> pairs;
  std::vector<std::unique_ptr<FunctionHandler>> handlers;
  int calls = 0;
  for (std::size_t index = 0; index < 300; ++index) {
    pairs.push_back(make_handle_pair());
    handlers.push_back(std::make_unique<FunctionHandler>([&](Readiness) { ++calls; }));
    REQUIRE(reactor->add(pairs.back().far.handle(), *handlers.back()).has_value());
    send_octet(pairs.back().near);
  }
  while (calls < 300) reactor->run_once(Deadline::never());
  reactor->run_once(Deadline::immediately());
  CHECK(calls == 300);
}

}  // namespace
}  // namespace perigee::event
