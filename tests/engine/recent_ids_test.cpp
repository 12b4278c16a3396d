// RecentIds, which finds requests that arrive twice.
#include "engine/connection/recent_ids.h"

#include <doctest/doctest.h>

#include <cstdint>

using perigee::engine::RecentIds;

TEST_CASE("a repeated id is refused until 256 other ids have followed it") {
  RecentIds ids;
  CHECK(ids.add(0));  // an empty table has not seen id 0 either
  CHECK_FALSE(ids.add(0));
  for (std::uint32_t id = 1; id < RecentIds::window; ++id) CHECK(ids.add(id));
  CHECK_FALSE(ids.add(0));
  CHECK(ids.add(RecentIds::window));  // takes the place of id 0
  CHECK(ids.add(0));
  CHECK_FALSE(ids.add(RecentIds::window));
}

TEST_CASE("ids may come in any order") {
  RecentIds ids;
  for (const std::uint32_t id : {7u, 3u, 0xffff'fffeu, 5u}) CHECK(ids.add(id));
  for (const std::uint32_t id : {5u, 0xffff'fffeu, 3u, 7u}) CHECK_FALSE(ids.add(id));
}
