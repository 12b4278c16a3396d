// The memory budget and the charges of its owners.
#include "engine/memory/budget.h"

#include "engine/memory/units.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

namespace perigee::engine::test {
namespace {

TEST_CASE("a charge above the limit of its use is refused and changes nothing") {
  MemoryBudget budget({.unfinished = 100, .unsent = 200, .parked = 0});
  CHECK(budget.try_charge(Use::unfinished, 60));
  CHECK_FALSE(budget.try_charge(Use::unfinished, 41));
  CHECK(budget.charged(Use::unfinished) == 60);
  CHECK(budget.try_charge(Use::unfinished, 40));
  CHECK(budget.try_charge(Use::unsent, 200));
  CHECK_FALSE(budget.try_charge(Use::parked, 1));
  budget.release(Use::unfinished, 100);
  CHECK(budget.charged(Use::unfinished) == 0);
  CHECK(budget.charged(Use::unsent) == 200);
}

TEST_CASE("refused charges of several threads never count, not even for a moment") {
  MemoryBudget budget({.unfinished = 100});
  REQUIRE(budget.try_charge(Use::unfinished, 90));
  std::atomic<int> working = 3;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread)
    threads.emplace_back([&] {
      for (int round = 0; round < 20'000; ++round) (void)budget.try_charge(Use::unfinished, 50);
      --working;
    });
  std::uint64_t most = budget.charged(Use::unfinished);
  while (working != 0) most = std::max(most, budget.charged(Use::unfinished));
  for (std::thread& each : threads) each.join();
  CHECK(most == 90);
}

TEST_CASE("an exempt charge may exceed the limit") {
  MemoryBudget budget({.unfinished = 100});
  budget.charge(Use::unfinished, 150);
  CHECK(budget.is_full_for(Use::unfinished, 1));
  CHECK_FALSE(budget.try_charge(Use::unfinished, 1));
}

TEST_CASE("the first 16 KiB of an owner are free, the others are charged in steps of 64 KiB") {
  MemoryBudget budget({.unfinished = 200 * kib});
  {
    Charge charge(&budget, Use::unfinished);
    const std::array<std::array<std::uint64_t, 2>, 6> rows{{{0, 0},
                                                            {16 * kib, 0},
                                                            {16 * kib + 1, 64 * kib},
                                                            {80 * kib, 64 * kib},
                                                            {80 * kib + 1, 128 * kib},
                                                            {16 * kib, 0}}};
    for (const auto& [octets, charged] : rows) {
      CAPTURE(octets);
      CHECK(charge.try_set(octets));
      CHECK(budget.charged(Use::unfinished) == charged);
    }
    CHECK(charge.try_set(200 * kib));
    CHECK_FALSE(charge.try_set(210 * kib));
    CHECK(budget.charged(Use::unfinished) == 192 * kib);
    charge.set(300 * kib);
    CHECK(budget.charged(Use::unfinished) == 320 * kib);
    CHECK(charge.try_set(100 * kib));  // a smaller charge always fits
  }
  CHECK(budget.charged(Use::unfinished) == 0);
}

TEST_CASE("a charge without a budget is free") {
  Charge charge(nullptr, Use::unsent);
  CHECK(charge.try_set(1'000'000));
  CHECK(charge.charged() == 0);
}

TEST_CASE("charges of many threads never exceed the limit, and end at zero") {
  MemoryBudget budget({.unfinished = 256 * kib});
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&budget] {
      for (int round = 0; round < 2000; ++round) {
        Charge charge(&budget, Use::unfinished);
        (void)charge.try_set(200 * kib);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(budget.charged(Use::unfinished) == 0);
}

}  // namespace
}  // namespace perigee::engine::test
