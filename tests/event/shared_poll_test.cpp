// The poll that threads share: ownership, what is noted meanwhile, turns, waking, removal.
#include "event/handles.h"
#include <perigee/event/shared_poll.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <vector>

namespace perigee::event {
namespace {

using test::HandlePair;
using test::make_handle_pair;
using test::send_octet;
using Next = SharedPoll::Next;

class Handler final : public SharedHandler {};

std::unique_ptr<SharedPoll> make() { return make_shared_poll().value(); }

/// A handler on the far end of a pair of handles.
struct Watched {
  explicit Watched(SharedPoll& poll) { REQUIRE(poll.add(pair.far.handle(), handler).has_value()); }
  void become_readable() { send_octet(pair.near); }
  [[nodiscard]] bool is(const SharedPoll::Ready& ready) const { return ready.handler == &handler; }

  HandlePair pair = make_handle_pair();
  Handler handler;
};

}  // namespace

TEST_CASE("a handle that becomes ready is given out, with what has happened") {
  const auto poll = make();
  Watched one(*poll);
  one.become_readable();
  SharedPoll::Ready ready = poll->wait();
  CHECK(one.is(ready));
  CHECK(has(ready.readiness, Readiness::readable));
  CHECK_FALSE(has(ready.readiness, Readiness::peer_closed));
  poll->release(one.handler, Next::wait);
  one.pair.near.close_sender();
  ready = poll->wait();
  CHECK(one.is(ready));
  CHECK(has(ready.readiness, Readiness::peer_closed));
}

TEST_CASE("what happens to a handle while it has an owner is noted, and given out afterwards") {
  const auto poll = make();
  Watched one(*poll);
  Watched other(*poll);
  one.become_readable();
  CHECK(one.is(poll->wait()));
  one.become_readable();
  other.become_readable();
  CHECK(other.is(poll->wait()));  // which has seen that of the first, too
  poll->release(one.handler, Next::wait);
  const SharedPoll::Ready again = poll->wait();
  CHECK(one.is(again));
  CHECK(has(again.readiness, Readiness::readable));
}

TEST_CASE("a handler that was released is not given out again before something happens") {
  const auto poll = make();
  Watched one(*poll);
  Watched other(*poll);
  one.become_readable();
  CHECK(one.is(poll->wait()));
  poll->release(one.handler, Next::wait);
  other.become_readable();
  CHECK(other.is(poll->wait()));
}

TEST_CASE("those put back and those that become ready take turns") {
  const auto poll = make();
  Watched busy(*poll);
  Watched other(*poll);
  busy.become_readable();
  CHECK(busy.is(poll->wait()));
  other.become_readable();
  int turns = 0;
  for (bool seen = false; !seen; ++turns) {
    poll->requeue(busy.handler, Next::wait);
    SharedPoll::Ready ready = poll->wait();
    seen = other.is(ready);
    if (seen) ready = poll->wait();
    CHECK(busy.is(ready));
  }
  CHECK(turns <= 2);
}

TEST_CASE("a thread naps if its turn was short and others had turns meanwhile, and loses nothing") {
  const auto poll = make();
  Watched one(*poll);
  Watched other(*poll);
  SharedPoll::Waiter waiter;
  one.become_readable();
  CHECK(one.is(poll->wait(waiter)));
  poll->release(one.handler, Next::wait);
  const std::uint64_t turn = waiter.turn;
  other.become_readable();
  CHECK(other.is(poll->wait()));  // a turn of another thread
  one.become_readable();
  const TimePoint begin = steady_clock().now();
  waiter.turn_begin = begin;
  CHECK(one.is(poll->wait(waiter)));
  CHECK(steady_clock().now() - begin >= SharedPoll::nap_time);
  CHECK(waiter.turn == turn + 2);
}

TEST_CASE("a handler can be notified, without any handle") {
  const auto poll = make();
  Handler handler;
  REQUIRE(poll->add(-1, handler).has_value());
  poll->notify(handler, Readiness::writable);
  SharedPoll::Ready ready = poll->wait();
  CHECK(ready.handler == &handler);
  CHECK(ready.readiness == Readiness::writable);
  poll->notify(handler, Readiness::readable);  // has an owner: noted
  poll->release(handler, Next::wait);
  ready = poll->wait();
  CHECK(ready.handler == &handler);
  CHECK(ready.readiness == Readiness::readable);
}

TEST_CASE("a handler that was removed hears no more, and its place is used again") {
  const auto poll = make();
  Watched last(*poll);
  for (int round = 0; round < 3; ++round) {
    Watched one(*poll);
    one.become_readable();
    CHECK(one.is(poll->wait()));
    poll->remove(one.handler);
    one.become_readable();
    poll->notify(one.handler, Readiness::readable);
  }
  last.become_readable();
  CHECK(last.is(poll->wait()));
}

TEST_CASE("more handlers than a table holds at first are all given out") {
  const auto poll = make();
  std::vector<std::unique_ptr<Handler>> handlers;
  for (int count = 0; count < 1000; ++count) {
    handlers.push_back(std::make_unique<Handler>());
    REQUIRE(poll->add(-1, *handlers.back()).has_value());
  }
  for (const auto& handler : handlers) poll->notify(*handler, Readiness::readable);
  for (const auto& handler : handlers) CHECK(poll->wait().handler == handler.get());
}

TEST_CASE("a thread that sleeps gets what another puts back before an upcall") {
  const auto poll = make();
  Watched one(*poll);
  one.become_readable();
  CHECK(one.is(poll->wait()));
  auto other = std::async(std::launch::async, [&] { return poll->wait(); });
  poll->requeue(one.handler, Next::upcall);
  CHECK(one.is(other.get()));
}

TEST_CASE("several threads get what becomes ready at once, each its own") {
  const auto poll = make();
  std::vector<std::unique_ptr<Watched>> watched;
  std::vector<std::future<SharedHandler*>> threads;
  for (int count = 0; count < 4; ++count) watched.push_back(std::make_unique<Watched>(*poll));
  for (int count = 0; count < 4; ++count)
    threads.push_back(std::async(std::launch::async, [&] { return poll->wait().handler; }));
  for (const auto& one : watched) one->become_readable();
  std::vector<SharedHandler*> seen;
  for (auto& thread : threads) seen.push_back(thread.get());
  for (const auto& one : watched) CHECK(std::ranges::count(seen, &one->handler) == 1);
}

TEST_CASE("interest in writing is reported when it is turned on") {
  const auto poll = make();
  Watched one(*poll);
  poll->want_writable(one.handler, WriteInterest::on);
  const SharedPoll::Ready ready = poll->wait();
  CHECK(one.is(ready));
  CHECK(has(ready.readiness, Readiness::writable));
  poll->want_writable(one.handler, WriteInterest::off);
  poll->release(one.handler, Next::wait);
  one.become_readable();
  CHECK_FALSE(has(poll->wait().readiness, Readiness::writable));
}

TEST_CASE("after stop all threads come back, also those that come later") {
  const auto poll = make();
  std::vector<std::future<SharedPoll::Ready>> threads;
  for (int count = 0; count < 3; ++count)
    threads.push_back(std::async(std::launch::async, [&] { return poll->wait(); }));
  poll->stop();
  for (auto& thread : threads) CHECK(thread.get().handler == nullptr);
  CHECK(poll->wait().handler == nullptr);
}

TEST_CASE("a poll that spins before it sleeps finds the same") {
  const auto poll = make_shared_poll(std::chrono::microseconds(50)).value();
  Watched one(*poll);
  auto thread = std::async(std::launch::async, [&] { return poll->wait(); });
  one.become_readable();
  CHECK(one.is(thread.get()));
  poll->stop();
  CHECK(poll->wait().handler == nullptr);
}

}  // namespace perigee::event
