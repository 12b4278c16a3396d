// The watchers of the source of a pollable.
#include "dynamic/polling/source.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace perigee::test {

namespace {

struct CountingWatcher final : polling::Watcher {
  void settled() noexcept override { ++count; }
  int count = 0;
};

}  // namespace

TEST_CASE("adding a watcher looks at few others, however many there are") {
  constexpr std::size_t count = 65'535;
  std::vector<std::shared_ptr<CountingWatcher>> all(count);
  polling::Watchers watchers;
  std::size_t looks = 0;
  for (auto& watcher : all) {
    watcher = std::make_shared<CountingWatcher>();
    looks += watchers.add(watcher);
  }
  CHECK(looks <= 2 * count);
  polling::Watchers::tell(watchers.take());
  for (const auto& watcher : all) CHECK(watcher->count == 1);
  CHECK(watchers.take().empty());
}

TEST_CASE("watchers that no longer exist take little memory") {
  polling::Watchers watchers;
  const auto kept = std::make_shared<CountingWatcher>();
  watchers.add(kept);
  for (int index = 0; index != 10'000; ++index) watchers.add(std::make_shared<CountingWatcher>());
  const auto left = watchers.take();
  CHECK(left.size() <= 64);
  polling::Watchers::tell(left);
  CHECK(kept->count == 1);
}

}  // namespace perigee::test
