// Messages of which a part has arrived: connections of slow messages are evicted, and all messages
// together stay within the budget.
#include "engine/memory/unfinished.h"

#include "engine/connection/outgoing_counts.h"
#include "engine/memory/units.h"
#include "support/fake_clock.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::engine::test {
namespace {

using messaging::Unfinished;
using perigee::test::FakeClock;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct Registry {
  FakeClock clock;
  std::shared_ptr<MemoryBudget> budget =
      std::make_shared<MemoryBudget>(MemoryBudget::Limits{.unfinished = mib, .unsent = mib});
  int wakes = 0;
  bool can_wake = true;
  UnfinishedMessages messages{clock, budget, {.message_size_max = mib}, [this] {
                                ++wakes;
                                return can_wake;
                              }};

  void pass(Duration time) {
    clock.advance(time);
    (void)messages.watch(clock.now());
  }
};

/// A connection that receives.
struct Peer final : UnfinishedOwner {
  explicit Peer(Registry& registry)
      : messages(registry.messages),
        queued(registry.budget.get()),
        input(&registry.messages, *this) {}

  bool receive(std::size_t octets, std::size_t announced) {
    return input.grow({octets, octets, announced - octets, false});
  }
  /// The peer has to read this many octets more. `drained` counts the octets that it has read.
  void queue(std::uint64_t octets) {
    queued.add(static_cast<std::int64_t>(octets));
    messages.note_unsent();
  }
  void drain(std::uint64_t octets) {
    queued.add(-static_cast<std::int64_t>(octets));
    drained += octets;
  }
  [[nodiscard]] bool has_unread_input() const noexcept override { return unread; }
  [[nodiscard]] WaitingOutput waiting_output() const noexcept override {
    return {static_cast<std::uint64_t>(queued.value()), drained};
  }
  void evict(Eviction reason) noexcept override { evicted = reason; }
  void resume_input() noexcept override { ++resumed; }

  UnfinishedMessages& messages;
  QueuedOctets queued;
  std::uint64_t drained = 0;
  std::optional<Eviction> evicted;
  int resumed = 0;
  bool unread = false;
  UnfinishedInput input;
};

TEST_CASE(
    "the connection of a message that arrives too slowly is evicted, although octets go on "
    "arriving") {
  Registry registry;
  Peer slow(registry);
  Peer fast(registry);
  REQUIRE(slow.receive(1, 100));
  REQUIRE(fast.receive(1, 100 * kib));
  CHECK(registry.wakes == 1);
  registry.pass({});
  for (std::size_t second = 1; second <= 11; ++second) {
    CHECK_FALSE(slow.evicted);
    REQUIRE(slow.receive(1 + second, 100));
    REQUIRE(fast.receive(second * kib, 100 * kib));
    registry.pass(seconds(1));
  }
  CHECK(slow.evicted == Eviction::slow);
  CHECK_FALSE(fast.evicted);
  CHECK(registry.messages.evictions() == 1);
}

TEST_CASE("a peer is not to blame for octets that this side does not receive") {
  Registry registry;
  Peer peer(registry);
  REQUIRE(peer.receive(1, 100));
  registry.pass({});
  peer.unread = true;
  registry.pass(seconds(60));
  CHECK_FALSE(peer.evicted);
  peer.unread = false;
  registry.pass(seconds(1));
  CHECK(peer.evicted == Eviction::slow);
}

TEST_CASE("each message has its own time") {
  Registry registry;
  Peer peer(registry);
  for (int message = 0; message < 5; ++message) {
    REQUIRE(peer.receive(1, 100));
    registry.pass(seconds(6));
    peer.input.end();
    registry.pass(seconds(6));
  }
  CHECK_FALSE(peer.evicted);
}

TEST_CASE("messages in fragments that overlap have the pace of all their octets") {
  Registry registry;
  Peer peer(registry);
  REQUIRE(peer.input.grow({1, 1, 0, true}));
  registry.pass({});
  for (std::size_t round = 0; round < 5; ++round) {
    for (std::size_t second = 1; second <= 10; ++second) {
      REQUIRE(peer.input.grow({second * 4 * kib, second * 4 * kib, 0, true}));
      registry.pass(seconds(1));
    }
    REQUIRE(peer.input.grow({kib, kib, 0, true}));  // one message is complete, the other is not
    registry.pass(seconds(1));
  }
  CHECK_FALSE(peer.evicted);
  registry.pass(seconds(200));
  CHECK(peer.evicted == Eviction::slow);
}

TEST_CASE("memory that is only kept for later makes room for a message that arrives") {
  Registry registry;
  Peer oldest(registry);
  Peer peer(registry);
  std::size_t kept = 900 * kib;
  REQUIRE(registry.budget->try_charge(Use::unfinished, kept));
  registry.messages.set_reclaim([&] {
    registry.budget->release(Use::unfinished, kept);
    return std::exchange(kept, 0) != 0;
  });
  REQUIRE(oldest.receive(50 * kib, 100 * kib));
  CHECK(kept != 0);
  CHECK(peer.receive(500 * kib, 600 * kib));
  CHECK(kept == 0);
  CHECK_FALSE(peer.receive(2 * mib, 3 * mib));
}

TEST_CASE("the watch does not run while no message is unfinished") {
  Registry registry;
  Peer peer(registry);
  CHECK(registry.messages.watch(registry.clock.now()) == TimePoint::max());
  REQUIRE(peer.receive(1, 100));
  CHECK(registry.wakes == 1);
  CHECK(registry.messages.watch(registry.clock.now()) != TimePoint::max());
  REQUIRE(peer.receive(2, 100));
  CHECK(registry.wakes == 1);
  peer.input.end();
  CHECK(registry.messages.watch(registry.clock.now()) == TimePoint::max());
  REQUIRE(peer.receive(1, 100));
  CHECK(registry.wakes == 2);
}

TEST_CASE("if waking the watch failed, the next message and further output wake it again") {
  Registry registry;
  registry.can_wake = false;
  Peer peer(registry);
  Peer next(registry);
  REQUIRE(peer.receive(1, 100));
  REQUIRE(next.receive(1, 100));
  CHECK(registry.wakes == 2);
  peer.queue(2 * mib);
  peer.queue(mib);
  CHECK(registry.wakes == 4);
  registry.can_wake = true;
  peer.queue(mib);
  peer.queue(mib);
  CHECK(registry.wakes == 5);
}

TEST_CASE("output within the budget is not watched") {
  Registry registry;
  Peer peer(registry);
  peer.queue(mib);
  CHECK(registry.budget->charged(Use::unsent) == Charge::cost_of(mib));
  CHECK(registry.wakes == 0);
  CHECK(registry.messages.watch(registry.clock.now()) == TimePoint::max());
  peer.drain(mib);
  CHECK(registry.budget->charged(Use::unsent) == 0);
}

TEST_CASE(
    "when memory for output is short, the connection whose peer would take longest to read is "
    "evicted") {
  Registry registry;
  Peer small(registry);
  Peer slow(registry);
  Peer fast(registry);
  small.queue(10 * kib);  // free
  slow.queue(900 * kib);
  CHECK(registry.wakes == 0);
  fast.queue(900 * kib);
  CHECK(registry.wakes == 1);
  CHECK(registry.messages.watch(registry.clock.now()) ==
        registry.clock.now() + UnfinishedMessages::paused_period);
  slow.drain(kib);
  fast.drain(100 * kib);
  registry.pass(milliseconds(900));
  CHECK_FALSE(slow.evicted);
  registry.pass(milliseconds(100));
  CHECK(slow.evicted == Eviction::unread);
  CHECK_FALSE(fast.evicted);
  CHECK_FALSE(small.evicted);
  CHECK(registry.messages.evictions() == 1);
  slow.drain(899 * kib);  // the connection has ended
  registry.pass(seconds(2));
  CHECK_FALSE(fast.evicted);
  CHECK(registry.messages.watch(registry.clock.now()) == TimePoint::max());
  slow.queue(mib);
  CHECK(registry.wakes == 2);
}

TEST_CASE("peers that make room within a second keep their places") {
  Registry registry;
  Peer first(registry);
  Peer second(registry);
  for (int round = 0; round < 5; ++round) {
    first.queue(900 * kib);
    second.queue(900 * kib);
    registry.pass({});
    registry.pass(milliseconds(500));
    first.drain(900 * kib);
    registry.pass(milliseconds(500));
    second.drain(900 * kib);
    registry.pass(seconds(1));
  }
  CHECK_FALSE(first.evicted);
  CHECK_FALSE(second.evicted);
}

TEST_CASE("threads that queue and drain at the same time leave nothing charged") {
  MemoryBudget budget({.unsent = mib});
  QueuedOctets queued(&budget);
  constexpr std::int64_t message = 70 * 1024;
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&] {
      for (int round = 0; round < 20'000; ++round) {
        queued.add(message);
        queued.add(-message);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(budget.charged(Use::unsent) == 0);
  queued.add(100 * kib);
  CHECK(budget.charged(Use::unsent) == Charge::cost_of(100 * kib));
}

TEST_CASE("above the budget, only the oldest message may grow") {
  Registry registry;
  Peer oldest(registry);
  Peer second(registry);
  Peer third(registry);
  REQUIRE(oldest.receive(400 * kib, 2 * mib));
  REQUIRE(second.receive(400 * kib, mib));
  CHECK_FALSE(third.receive(400 * kib, mib));
  CHECK(registry.budget->charged(Use::unfinished) <= mib);
  CHECK(oldest.receive(2 * mib, 2 * mib));
  CHECK(registry.budget->charged(Use::unfinished) > mib);
  CHECK_FALSE(second.receive(500 * kib, mib));
  oldest.input.end();
  registry.pass(milliseconds(20));
  CHECK(second.resumed == 1);
  CHECK(third.resumed == 1);
  CHECK(second.receive(500 * kib, mib));
  CHECK(third.receive(400 * kib, mib));
}

TEST_CASE("one message at a time exceeds the budget, although an older message grows later") {
  Registry registry;
  Peer older(registry);
  Peer younger(registry);
  REQUIRE(older.receive(1, mib));  // too little for a charge
  REQUIRE(younger.receive(900 * kib, 2 * mib));
  REQUIRE(younger.receive(2 * mib, 2 * mib));
  CHECK_FALSE(older.receive(500 * kib, mib));
  registry.pass(milliseconds(20));
  CHECK(older.resumed == 0);
  CHECK(younger.receive(3 * mib, 3 * mib));
  younger.input.end();
  registry.pass(milliseconds(20));
  CHECK(older.resumed == 1);
  CHECK(older.receive(500 * kib, mib));
}

TEST_CASE("an exempt message stays exempt when an older message is charged within the budget") {
  Registry registry;
  Peer older(registry);
  Peer younger(registry);
  Peer third(registry);
  REQUIRE(older.receive(1, mib));
  REQUIRE(younger.receive(300 * kib, mib));
  REQUIRE(third.receive(500 * kib, mib));
  REQUIRE(younger.receive(600 * kib, mib));  // exempt from here on
  third.input.end();
  REQUIRE(older.receive(300 * kib, mib));
  CHECK(younger.receive(900 * kib, mib));
  CHECK_FALSE(older.receive(500 * kib, mib));
  registry.pass({});
  for (int look = 0; look < 200; ++look) registry.pass(milliseconds(20));
  CHECK_FALSE(younger.evicted);
  CHECK(younger.receive(mib, mib));
  younger.input.end();
  registry.pass(milliseconds(20));
  CHECK(older.receive(500 * kib, mib));
}

// The watch looks at all connections in regular steps. An arriving packet does not cause a look.
TEST_CASE("a paused message becomes exempt at the next look, not with its next packet") {
  Registry registry;
  Peer oldest(registry);
  Peer next(registry);
  REQUIRE(oldest.receive(400 * kib, mib));
  REQUIRE(next.receive(400 * kib, 2 * mib));
  CHECK_FALSE(next.receive(2 * mib, 2 * mib));
  oldest.input.end();
  CHECK_FALSE(next.receive(2 * mib, 2 * mib));
  registry.pass(milliseconds(20));
  CHECK(next.resumed == 1);
  CHECK(next.receive(2 * mib, 2 * mib));
}

TEST_CASE("another message becomes exempt when the connection of the exempt message is evicted") {
  Registry registry;
  Peer next(registry);
  Peer exempt(registry);
  REQUIRE(exempt.receive(2 * mib, 3 * mib));
  registry.pass({});
  registry.pass(std::chrono::hours(1));
  REQUIRE(exempt.evicted == Eviction::slow);
  CHECK(next.receive(100 * kib, mib));
}

TEST_CASE(
    "after a second of pauses the connection whose message would be complete last is evicted") {
  Registry registry;
  Peer oldest(registry);
  Peer nearly(registry);
  Peer far(registry);
  Peer waiting(registry);
  REQUIRE(oldest.receive(100 * kib, mib));
  REQUIRE(nearly.receive(300 * kib, 310 * kib));
  REQUIRE(far.receive(300 * kib, mib));
  registry.pass({});
  registry.pass(milliseconds(500));
  CHECK_FALSE(waiting.receive(500 * kib, mib));
  registry.pass(milliseconds(990));
  CHECK_FALSE(far.evicted);
  registry.pass(milliseconds(20));
  CHECK(far.evicted == Eviction::memory);
  CHECK_FALSE(nearly.evicted);
  CHECK_FALSE(oldest.evicted);
  CHECK_FALSE(waiting.evicted);
  far.input.end();  // the connection has ended
  registry.pass(milliseconds(20));
  CHECK(waiting.resumed >= 1);
}

TEST_CASE("a connection that is charged nothing frees nothing, and keeps its place") {
  Registry registry;
  Peer oldest(registry);
  Peer small(registry);
  Peer large(registry);
  REQUIRE(oldest.receive(900 * kib, mib));
  REQUIRE(small.receive(10 * kib, mib));
  CHECK_FALSE(large.receive(300 * kib, mib));
  registry.pass({});
  registry.pass(seconds(2));
  CHECK_FALSE(small.evicted);
  CHECK_FALSE(large.evicted);
}

TEST_CASE("the time of a pause does not count for the pace") {
  Registry registry;
  Peer oldest(registry);
  Peer paused(registry);
  REQUIRE(oldest.receive(mib, 2 * mib));
  CHECK_FALSE(paused.receive(100 * kib, 200 * kib));
  registry.pass({});
  registry.pass(std::chrono::hours(1));
  oldest.input.end();
  registry.pass(milliseconds(20));
  CHECK(paused.resumed == 1);
  REQUIRE(paused.receive(100 * kib, 200 * kib));
  registry.pass(seconds(9));
  CHECK_FALSE(paused.evicted);
}

TEST_CASE("a connection that cannot pause is charged in any case") {
  Registry registry;
  Peer oldest(registry);
  Peer other(registry);
  REQUIRE(oldest.receive(mib, mib));
  other.input.grow_anyway({500 * kib, 500 * kib, 0, false});
  CHECK(registry.budget->charged(Use::unfinished) > mib + 400 * kib);
  other.input.end();
  oldest.input.end();
  CHECK(registry.budget->charged(Use::unfinished) == 0);
}

TEST_CASE("a connection that ends gives its charge back, paused or not") {
  Registry registry;
  {
    Peer oldest(registry);
    Peer paused(registry);
    REQUIRE(oldest.receive(mib, mib));
    CHECK_FALSE(paused.receive(mib, mib));
  }
  CHECK(registry.budget->charged(Use::unfinished) == 0);
  CHECK(registry.messages.watch(registry.clock.now()) == TimePoint::max());
}

TEST_CASE("without a registry, messages may grow without a limit") {
  struct Owner final : UnfinishedOwner {
    [[nodiscard]] WaitingOutput waiting_output() const noexcept override { return {}; }
    [[nodiscard]] bool has_unread_input() const noexcept override { return false; }
    void evict(Eviction /*reason*/) noexcept override {}
    void resume_input() noexcept override {}
  } owner;
  UnfinishedInput input(nullptr, owner);
  CHECK(input.grow({mib, mib, 0, false}));
  CHECK_FALSE(input.under_way());
}

}  // namespace
}  // namespace perigee::engine::test
