// Announcements of listen points while allocations fail. The build with the thread sanitizer leaves
// this file out, because the sanitizer's allocator cannot be replaced.
#include "orb/bidirectional/listen_point_table.h"
#include "support/allocations.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <new>

using namespace perigee;

namespace {

struct CountedPeer {
  void add_reference() noexcept { ++references; }
  [[nodiscard]] static bool ending() noexcept { return false; }
  int references = 0;
};

using CountedTable = orb::ListenPointTable<CountedPeer>;

/// Adds `point` while the `number`-th allocation fails. False if `add` makes fewer allocations.
bool add_without_memory(CountedTable& table, CountedPeer& peer, const transport::Endpoint& point,
                        std::size_t number) {
  test::fail_allocation(number);
  try {
    (void)table.add(peer, point);
  } catch (const std::bad_alloc&) {
  }
  return test::stop_failing_allocation();
}

}  // namespace

TEST_CASE("a failed announcement leaves nothing in the table, whichever allocation fails") {
  const transport::Endpoint point{"iiop", "a host with a long name:1"};
  std::size_t number = 1;
  for (bool failed = true; failed; ++number) {
    CAPTURE(number);
    CountedTable table(1);
    CountedPeer peer;
    failed = add_without_memory(table, peer, point, number);
    CHECK(table.find(point) == (failed ? nullptr : &peer));
    CHECK(table.size() == (failed ? 0 : 1));
    CHECK(table.add(peer, point) ==
          (failed ? CountedTable::Added::yes : CountedTable::Added::known));
    CHECK(table.find(point) == &peer);
    table.forget(peer);
    CHECK(table.size() == 0);
  }
  CHECK(number > 3);
}

TEST_CASE("a listen point stays with its first peer, even if a second announcement fails") {
  const transport::Endpoint point{"iiop", "a host with a long name:1"};
  std::size_t number = 1;
  for (bool failed = true; failed; ++number) {
    CAPTURE(number);
    CountedTable table(1);
    CountedPeer first;
    CountedPeer second;
    (void)table.add(first, point);
    failed = add_without_memory(table, second, point, number);
    CHECK(table.find(point) == &first);
    table.forget(first);
    CHECK(table.find(point) == (failed ? nullptr : &second));
  }
  CHECK(number > 3);
}
