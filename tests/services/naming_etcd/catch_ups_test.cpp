// Reads that wait until the copy of the names is up to date.
#include "services/naming_etcd/catch_ups.h"

#include "support/allocations.h"
#include "support/fake_clock.h"

#include <doctest/doctest.h>

#include <new>
#include <string>
#include <utility>

namespace perigee::naming::etcd {

namespace {

using namespace std::chrono_literals;

/// Waits that write their names into `ended` when they are over.
class Waits {
 public:
  void begin(const std::string& name) {
    catch_ups.add([this, name] { ended += name + " "; });
    catch_ups.take_added();
  }
  /// A probe that finds this revision.
  void probe(Revision newest) { catch_ups.take_probe(clock.now(), newest); }

  test::FakeClock clock;
  EtcdStoreOptions options{.catch_up_time_max = 2'000ms, .waiting_max = 3, .clock = &clock};
  int wakes = 0;
  CatchUps catch_ups{options, [this] { ++wakes; }};
  std::string ended;
};

}  // namespace

TEST_CASE("a read waits for the revision that a later probe finds") {
  Waits waits;
  waits.begin("a");
  CHECK(waits.wakes == 1);
  CHECK(waits.catch_ups.needs_probe());
  waits.catch_ups.step(10);
  CHECK(waits.ended.empty());
  waits.probe(11);
  CHECK_FALSE(waits.catch_ups.needs_probe());
  waits.catch_ups.step(10);
  CHECK(waits.ended.empty());
  waits.catch_ups.step(11);
  CHECK(waits.ended == "a ");
  CHECK(waits.catch_ups.waiting() == 0);
}

TEST_CASE("a read does not use the result of a probe that began before the read") {
  Waits waits;
  waits.begin("a");
  const TimePoint probe_begin = waits.clock.now();
  waits.clock.advance(1ms);
  waits.begin("b");
  waits.catch_ups.take_probe(probe_begin, 5);
  waits.catch_ups.step(5);
  CHECK(waits.ended == "a ");
  CHECK(waits.catch_ups.needs_probe());
  waits.probe(6);
  waits.catch_ups.step(6);
  CHECK(waits.ended == "a b ");
}

TEST_CASE("all reads that wait share a probe") {
  Waits waits;
  for (const char* name : {"a", "b", "c"}) waits.begin(name);
  waits.probe(4);
  CHECK_FALSE(waits.catch_ups.needs_probe());
  waits.catch_ups.step(4);
  CHECK(waits.ended == "a b c ");
}

TEST_CASE("a read ends at its time limit, although a revision is missing") {
  Waits waits;
  waits.begin("a");
  waits.clock.advance(1'500ms);
  waits.begin("b");
  waits.probe(9);
  CHECK(waits.catch_ups.next_step() == waits.clock.now() + 500ms);
  waits.clock.advance(500ms);
  waits.catch_ups.step(8);
  CHECK(waits.ended == "a ");
  waits.clock.advance(1'500ms);
  waits.catch_ups.step(8);
  CHECK(waits.ended == "a b ");
  CHECK(waits.catch_ups.next_step() == TimePoint::max());
}

TEST_CASE("reads do not wait while no member answers") {
  Waits waits;
  waits.begin("a");
  waits.catch_ups.give_up();
  waits.catch_ups.step(0);
  CHECK(waits.ended == "a ");
}

TEST_CASE(
    "reads end although the revision of an earlier read does not arrive, if no member answers") {
  Waits waits;
  waits.begin("a");
  waits.probe(9);
  waits.clock.advance(1ms);
  waits.begin("b");
  waits.catch_ups.give_up();
  waits.catch_ups.step(8);
  CHECK(waits.ended == "a b ");
}

TEST_CASE("a read for which there is no memory does not count as a waiting read") {
  Waits waits;
  waits.options.waiting_max = 1'000;
  std::size_t failures = 0;
  constexpr std::size_t reads = 100;  // many reads share a block of memory
  for (std::size_t number = 0; number < reads; ++number) {
    CaughtUp done = [] {};
    test::fail_allocation(1);
    try {
      waits.catch_ups.add(std::move(done));
    } catch (const std::bad_alloc&) {
      ++failures;
    }
    (void)test::stop_failing_allocation();
  }
  CHECK(failures > 0);
  CHECK(waits.catch_ups.waiting() == reads - failures);
  waits.catch_ups.end_all();
  CHECK(waits.catch_ups.waiting() == 0);
}

TEST_CASE("a read beyond the limit of waiting reads does not wait") {
  Waits waits;
  for (const char* name : {"a", "b", "c", "d"}) waits.begin(name);
  CHECK(waits.ended == "d ");
  CHECK(waits.catch_ups.waiting() == 3);
  waits.catch_ups.end_all();
  CHECK(waits.ended == "d a b c ");
  waits.begin("e");
  CHECK(waits.catch_ups.waiting() == 1);
}

}  // namespace perigee::naming::etcd
