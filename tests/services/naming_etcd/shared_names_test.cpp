// How long the names lack a revision that etcd has: after that time, a watch is given up.
#include "services/naming_etcd/shared_names.h"

#include "support/fake_clock.h"

#include <doctest/doctest.h>

#include <chrono>
#include <vector>

namespace perigee::naming::etcd {

namespace {

using namespace std::chrono_literals;

/// Names that get revisions by a watch.
class WatchedNames {
 public:
  void deliver(Revision revision) {
    names.apply(std::vector<Event>{{false, {.key = "/test/changed", .modified = revision}}});
  }

  perigee::test::FakeClock clock;
  EtcdStoreOptions options{.prefix = "/test/", .clock = &clock};
  SharedNames names{Keys(options.prefix), options};
};

}  // namespace

TEST_CASE("names that get each change 50 ms late are never behind for longer, at any probe rate") {
  WatchedNames watched;
  constexpr auto step = 5ms;
  constexpr Revision steps_late = 10;
  for (Revision newest = 1; newest <= 400; ++newest) {
    watched.clock.advance(step);
    watched.names.expect(newest);
    if (newest > steps_late) watched.deliver(newest - steps_late);
    CHECK(watched.names.behind_since() >= watched.clock.now() - 50ms);
  }
  watched.deliver(400);
  CHECK(watched.names.behind_since() == TimePoint::max());
}

TEST_CASE("further changes do not hide that a watch delivers nothing") {
  WatchedNames watched;
  const TimePoint begin = watched.clock.now();
  for (Revision newest = 1; newest <= 100; ++newest) {
    watched.names.expect(newest);
    watched.clock.advance(10ms);
  }
  CHECK(watched.names.behind_since() == begin);
  watched.deliver(1);  // from now on, the names lack the revision 100, which is 10 ms old
  CHECK(watched.names.behind_since() == watched.clock.now() - 10ms);
}

TEST_CASE("a new copy of a restored backup does not wait for revisions of the time before") {
  WatchedNames watched;
  watched.names.expect(1000);
  Mirror restored(watched.names.keys());
  restored.set_revision(500);
  watched.names.replace(std::move(restored));
  CHECK(watched.names.behind_since() == TimePoint::max());
  watched.names.expect(501);
  CHECK(watched.names.behind_since() == watched.clock.now());
}

}  // namespace perigee::naming::etcd
