// The slot table alone.
#include "poa/slot_table.h"

#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <new>
#include <thread>

using perigee::poa::SlotRef;
using perigee::poa::SlotTable;

namespace {

using Table = SlotTable<std::shared_ptr<int>>;

SlotRef put(Table& table, std::shared_ptr<int> value) {
  const auto ref = table.insert([&](std::shared_ptr<int>& place, SlotRef) { place = value; });
  REQUIRE(ref.has_value());
  return *ref;
}

}  // namespace

TEST_CASE("a value is found by its own reference only") {
  Table table(100);
  const SlotRef ref = put(table, std::make_shared<int>(7));
  REQUIRE(table.pin(ref));
  CHECK(**table.pin(ref) == 7);
  CHECK(!table.pin({ref.index, ref.generation + 1}));
  CHECK(!table.pin({ref.index, 0}));
  CHECK(!table.pin({ref.index + 1, ref.generation}));
  CHECK(!table.pin({std::numeric_limits<std::uint32_t>::max(), 1}));
}

TEST_CASE("a removed slot is used again under another generation") {
  Table table(1);
  const SlotRef first = put(table, std::make_shared<int>(1));
  CHECK(table.remove(first));
  CHECK(!table.remove(first));
  const SlotRef second = put(table, std::make_shared<int>(2));
  CHECK(second.index == first.index);
  CHECK(second.generation == first.generation + 1);
  CHECK(!table.pin(first));
  CHECK(table.pin(second));
}

TEST_CASE("a slot that could not be filled is free again") {
  Table table(1);
  const auto value = std::make_shared<int>(1);
  const auto fill = [&](std::shared_ptr<int>& place, SlotRef) {
    place = value;
    throw std::bad_alloc();
  };
  for (int round = 0; round < 3; ++round) CHECK_THROWS_AS((void)table.insert(fill), std::bad_alloc);
  CHECK(value.use_count() == 1);
  CHECK(**table.pin(put(table, std::make_shared<int>(2))) == 2);
}

TEST_CASE("a value lives until its last user has released it") {
  Table table(10);
  const auto value = std::make_shared<int>(1);
  const SlotRef ref = put(table, value);
  auto pin = table.pin(ref);
  auto other = table.pin(ref);
  CHECK(table.remove(ref));
  CHECK(!table.pin(ref));
  CHECK(value.use_count() == 2);
  pin.reset();
  CHECK(value.use_count() == 2);
  other.reset();
  CHECK(value.use_count() == 1);
}

TEST_CASE("a slot in its last generation retires") {
  Table table(1, std::numeric_limits<std::uint32_t>::max());
  const SlotRef ref = put(table, std::make_shared<int>(1));
  CHECK(table.remove(ref));
  CHECK(!table.insert([](std::shared_ptr<int>&, SlotRef) {}).has_value());
  CHECK(!table.pin(ref));
  CHECK(!table.pin({ref.index, 0}));
}

TEST_CASE("inserting stops at the limit") {
  Table table(3);
  for (int count = 0; count < 3; ++count) put(table, nullptr);
  CHECK(!table.insert([](std::shared_ptr<int>&, SlotRef) {}).has_value());
}

TEST_CASE("references stay valid while the table grows") {
  Table table(10'000);
  std::vector<SlotRef> refs;
  for (int number = 0; number < 5000; ++number)
    refs.push_back(put(table, std::make_shared<int>(number)));
  for (int number = 0; number < 5000; ++number) {
    const auto pin = table.pin(refs[static_cast<std::size_t>(number)]);
    REQUIRE(pin);
    CHECK(**pin == number);
  }
}

TEST_CASE("waiting for idleness ends when the user has released the value") {
  Table table(1);
  const SlotRef ref = put(table, std::make_shared<int>(1));
  table.wait_until_idle(ref);  // no user: returns at once
  std::atomic<bool> released{false};
  auto pin = table.pin(ref);
  std::thread user([&] {
    released = true;
    pin.reset();
  });
  table.wait_until_idle(ref);
  CHECK(released);
  user.join();
  CHECK(table.pin(ref));
}

TEST_CASE("pinning, removing and inserting at once never shows a dead value") {
  Table table(64);
  std::atomic<SlotRef> current{put(table, std::make_shared<int>(42))};
  std::atomic<bool> done{false};
  const auto use = [&] {
    while (!done) {
      const auto pin = table.pin(current.load());
      if (pin) CHECK(**pin == 42);
    }
  };
  std::thread first(use);
  std::thread second(use);
  for (int round = 0; round < 5000; ++round) {
    const SlotRef next = put(table, std::make_shared<int>(42));
    CHECK(table.remove(current.exchange(next)));
  }
  done = true;
  first.join();
  second.join();
}
