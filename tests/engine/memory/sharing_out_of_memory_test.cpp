// The sharing of a message with pinned values while allocations fail.
#include "engine/memory/budget.h"
#include "engine/memory/decoded_share.h"
#include "engine/memory/mapping_cache.h"
#include "engine/memory/units.h"
#include "support/allocations.h"
#include <perigee/messaging/storage.h>

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace perigee::engine::test {
namespace {

class ChargingEnvironment final : public cdr::Environment {
 public:
  explicit ChargingEnvironment(cdr::DecodedBudget& budget) { decoded_budget_ = &budget; }
};

TEST_CASE("sharing that runs out of memory leaves the message and the budget unchanged") {
  const auto budget = std::make_shared<MemoryBudget>(MemoryBudget::Limits{});
  const auto share = make_counted<DecodedShare>(budget);
  ChargingEnvironment environment(*share);
  const auto cache =
      std::make_shared<MappingCache>(steady_clock(), nullptr, MappingCache::Limits{});
  bool failed = true;
  for (std::size_t number = 1; failed; ++number) {
    messaging::MessageStorage storage;
    REQUIRE(storage.reserve({0, mib, mib, true}, cache));
    std::memset(storage.data(), 7, mib);
    cdr::PinCharge charge(&environment);
    perigee::test::fail_allocation(number);
    counted_ptr<cdr::PinnedMemory> memory;
    try {
      memory = storage.share(std::move(charge), mib);
    } catch (const std::bad_alloc&) {
      CHECK(budget->charged(Use::decoded) == 0);
    }
    failed = perigee::test::stop_failing_allocation();
    CHECK((memory != nullptr) != failed);
    CHECK(storage.data()[mib - 1] == std::byte{7});
  }
  CHECK(budget->charged(Use::decoded) == 0);
}

}  // namespace
}  // namespace perigee::engine::test
