// ReadRole: random operations against a model, and threads that take the role over.
#include "engine/connection/read_role.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace perigee::test {

using engine::ReadRole;
using State = ReadRole::State;
using Release = ReadRole::Release;

TEST_CASE("an event that comes while the role is held is found at the release") {
  ReadRole role;
  REQUIRE(role.try_take());
  CHECK_FALSE(role.try_take());
  CHECK_FALSE(role.take_or_note());
  CHECK(role.release() == Release::again);
  CHECK(role.state() == State::held);
  CHECK(role.release() == Release::released);
  CHECK(role.take_or_note());
}

TEST_CASE("lend and reclaim keep a noted event, and a take-over clears it") {
  ReadRole role;
  REQUIRE(role.try_take());
  const auto lent = role.lend();
  CHECK_FALSE(lent.noted());
  CHECK_FALSE(role.take_or_note());
  CHECK(role.reclaim(lent));
  CHECK(role.lend().noted());
  REQUIRE(role.try_take_lent());
  role.end_detaching();
  CHECK_FALSE(role.lend().noted());
}

TEST_CASE("an event that is noted during an upcall is found at the release") {
  ReadRole role;
  REQUIRE(role.try_take());
  const auto lent = role.lend();
  CHECK_FALSE(role.take_or_note());
  CHECK(role.reclaim(lent));
  CHECK(role.release() == Release::again);
  CHECK(role.release() == Release::released);
}

TEST_CASE("a thread that takes over a lent role clears noted events, because it reads anyway") {
  ReadRole role;
  REQUIRE(role.try_take());
  (void)role.lend();
  CHECK_FALSE(role.take_or_note());
  REQUIRE(role.try_take_lent());
  role.end_detaching();
  CHECK(role.release() == Release::released);
}

TEST_CASE("after a take-over, the first lender cannot reclaim the role, even if it is lent again") {
  ReadRole role;
  REQUIRE(role.try_take());
  const auto first = role.lend();
  REQUIRE(role.try_take_lent());
  CHECK_FALSE(role.try_take_lent());
  role.end_detaching();
  const auto second = role.lend();
  CHECK_FALSE(role.reclaim(first));
  CHECK(role.reclaim(second));
  CHECK_FALSE(role.reclaim(second));
}

TEST_CASE("random lending, taking over and noting follow the model") {
  struct Actor {
    enum class Does : std::uint8_t { nothing, reads, waits_in_upcall, detaches } does;
    ReadRole::Lend lend;
    std::uint64_t epoch;
  };
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    ReadRole role;
    std::array<Actor, 4> actors{};
    State state = State::free;
    std::uint64_t epoch = 0;
    bool noted = false;
    for (int step = 0; step < 300; ++step) {
      Actor& actor = actors[random() % actors.size()];
      switch (actor.does) {
        case Actor::Does::nothing:
          if (random() % 3 == 0) {
            const bool taken = role.try_take_lent();
            REQUIRE(taken == (state == State::lent));
            if (taken) actor.does = Actor::Does::detaches, state = State::detaching, noted = false;
          } else {
            const bool notes = random() % 2 == 0;
            const bool taken = notes ? role.take_or_note() : role.try_take();
            REQUIRE(taken == (state == State::free));
            if (taken) actor.does = Actor::Does::reads, state = State::held;
            if (!taken && notes) noted = true;
          }
          break;
        case Actor::Does::reads:
          if (random() % 2 == 0) {
            actor.lend = role.lend();
            actor.epoch = ++epoch;
            actor.does = Actor::Does::waits_in_upcall;
            state = State::lent;
          } else {
            const Release release = role.release();
            REQUIRE(release == (noted ? Release::again : Release::released));
            if (!noted) actor.does = Actor::Does::nothing, state = State::free;
            noted = false;
          }
          break;
        case Actor::Does::waits_in_upcall:
          if (state == State::detaching && epoch == actor.epoch) break;  // `reclaim` would block
          {
            const bool reclaims = role.reclaim(actor.lend);
            REQUIRE(reclaims == (state == State::lent && epoch == actor.epoch));
            actor.does = reclaims ? Actor::Does::reads : Actor::Does::nothing;
            if (reclaims) state = State::held;
          }
          break;
        case Actor::Does::detaches:
          role.end_detaching();
          actor.does = Actor::Does::reads;
          state = State::held;
          break;
      }
      REQUIRE(role.state() == state);
      REQUIRE(role.epoch() == epoch);
      REQUIRE(role.check_invariants());
    }
  }
}

namespace {

// The parts of a connection that the role guards.
struct GuardedByRole {
  ReadRole role;
  int inbox = 0;
  int* octets_at_hand = nullptr;  // in the scratch memory of the thread that has lent the role
  int events_seen = 0;
  std::atomic<int> events{0};

  void read() {
    ++inbox;
    events_seen = events.load();
  }
};

void serve(GuardedByRole& connection, std::uint32_t seed) {
  std::mt19937 random(seed);
  int scratch = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    connection.events.fetch_add(1);
    if (connection.role.try_take_lent()) {
      ++*connection.octets_at_hand;  // the lender does not touch its scratch memory
      connection.role.end_detaching();
    } else if (!connection.role.take_or_note()) {
      continue;
    }
    connection.read();
    if (random() % 2 == 0) {
      connection.octets_at_hand = &scratch;
      const auto lent = connection.role.lend();
      if (random() % 4 == 0) std::this_thread::yield();
      const bool reclaims = connection.role.reclaim(lent);
      ++scratch;  // no other thread uses it any more
      if (!reclaims) continue;
    }
    do connection.read();
    while (connection.role.release() == Release::again);
  }
}

}  // namespace

TEST_CASE("threads that lend and take over never read at the same time, and miss no event") {
  GuardedByRole connection;
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t seed = 1; seed <= 4; ++seed)
      threads.emplace_back([&connection, seed] { serve(connection, seed); });
  }
  CHECK(connection.role.state() == State::free);
  CHECK(connection.events_seen == connection.events.load());
  CHECK(connection.inbox > 4);
}

}  // namespace perigee::test
