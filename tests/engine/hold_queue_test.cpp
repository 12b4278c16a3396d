// HoldQueue: the order of parked requests, limits, and resumption.
#include "engine/connection/hold_queue.h"

#include "engine/parking_owner.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace perigee;
using namespace perigee::engine;

namespace {

using Owner = test::ParkingOwner;

struct Fixture {
  explicit Fixture(std::size_t requests_max = 10) : queue(requests_max) {}
  ~Fixture() { queue.clear(); }

  HoldQueue::Kept keep(Owner& owner, std::uint8_t content, std::uint64_t number = 0) {
    return keep_seen(owner, content, queue.resumptions(), number);
  }
  HoldQueue::Kept keep_seen(Owner& owner, std::uint8_t content, std::uint64_t seen,
                            std::uint64_t number = 0) {
    messaging::IncomingMessage message = made(content);
    return queue.keep({owner, &point, number}, message, seen);
  }
  HoldQueue::Kept behind(Owner& owner, std::uint8_t content, std::uint64_t number = 0) {
    messaging::IncomingMessage message = made(content);
    return queue.keep_behind({owner, &point, number}, message);
  }
  messaging::IncomingMessage made(std::uint8_t content) {
    space = static_cast<std::byte>(content);
    messaging::IncomingMessage message;
    message.octets = {&space, 1};
    return message;
  }
  /// The content of the next request that is due; 0 if no request is due.
  std::uint8_t take() {
    auto taken = queue.take();
    if (!taken) return 0;
    const auto content = static_cast<std::uint8_t>(taken->message.octets[0]);
    queue.done(taken->number);
    return content;
  }

  std::byte space{};
  int point = 0;
  HoldQueue queue;
};

}  // namespace

TEST_CASE("parked requests are due after a resumption, in the order of their arrival") {
  Owner owner;
  Fixture f;
  CHECK(f.keep(owner, 1) == HoldQueue::Kept::yes);
  CHECK(f.keep(owner, 2) == HoldQueue::Kept::yes);
  CHECK(!f.queue.any_due());
  CHECK(f.take() == 0);
  CHECK(f.queue.resume());
  CHECK(f.queue.any_due());
  CHECK(f.take() == 1);
  CHECK(f.take() == 2);
  CHECK(f.take() == 0);
  CHECK(!f.queue.resume());
}

TEST_CASE("a request whose hold point has opened meanwhile is due at once") {
  Owner owner;
  Fixture f;
  const std::uint64_t seen = f.queue.resumptions();
  (void)f.queue.resume();
  CHECK(f.keep_seen(owner, 1, seen) == HoldQueue::Kept::due);
  CHECK(f.take() == 1);
}

TEST_CASE("a request waits only behind earlier requests of its connection") {
  Owner owner;
  Owner other;
  Fixture f;
  CHECK(f.behind(owner, 1) == HoldQueue::Kept::not_needed);
  CHECK(f.keep(owner, 1) == HoldQueue::Kept::yes);
  CHECK(f.behind(other, 9) == HoldQueue::Kept::not_needed);
  CHECK(f.behind(owner, 2) == HoldQueue::Kept::yes);
  (void)f.queue.resume();
  CHECK(f.behind(owner, 3) == HoldQueue::Kept::due);
  CHECK(f.take() == 1);
  CHECK(f.take() == 2);
  CHECK(f.take() == 3);
}

TEST_CASE("a request that is parked again keeps its place") {
  Owner owner;
  Fixture f;
  (void)f.keep(owner, 1);
  (void)f.keep(owner, 2);
  (void)f.queue.resume();
  auto first = f.queue.take();
  REQUIRE(first);
  SUBCASE("before its dispatch is over") {
    CHECK(f.queue.keep({owner, &f.point, first->number}, first->message, f.queue.resumptions()) ==
          HoldQueue::Kept::yes);
    f.queue.done(first->number);  // it was kept: nothing happens
  }
  SUBCASE("after its dispatch is over") {
    f.queue.done(first->number);
    CHECK(f.queue.keep({owner, &f.point, first->number}, first->message, f.queue.resumptions()) ==
          HoldQueue::Kept::yes);
  }
  first.reset();
  (void)f.queue.resume();
  CHECK(f.take() == 1);
  CHECK(f.take() == 2);
}

TEST_CASE("as many requests and octets as allowed are parked") {
  Owner owner(2);
  SUBCASE("requests") {
    Fixture f(1);
    CHECK(f.keep(owner, 1) == HoldQueue::Kept::yes);
    CHECK(f.keep(owner, 2) == HoldQueue::Kept::refused);
  }
  SUBCASE("octets") {
    Fixture f;
    CHECK(f.keep(owner, 1) == HoldQueue::Kept::yes);
    CHECK(f.keep(owner, 2) == HoldQueue::Kept::yes);
    CHECK(f.keep(owner, 3) == HoldQueue::Kept::refused);
    CHECK(owner.parked == 2);
  }
}

TEST_CASE("the requests of a connection that ends are dropped, other requests stay") {
  Owner owner;
  Owner other;
  Fixture f;
  (void)f.keep(owner, 1);
  (void)f.keep(other, 2);
  (void)f.keep(owner, 3);
  f.queue.drop(owner);
  CHECK(owner.parked == 0);
  CHECK(owner.references == 0);
  (void)f.queue.resume();
  CHECK(f.take() == 2);
  CHECK(f.take() == 0);
}
