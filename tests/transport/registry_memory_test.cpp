// The registry of protocols when memory runs out.
#include "support/allocations.h"
#include "support/memory_protocol.h"
#include <perigee/transport/registry.h>

#include <doctest/doctest.h>

#include <memory>
#include <new>
#include <utility>

namespace perigee::transport {
namespace {

// Each allocation of a registration fails once.
TEST_CASE("without memory a registration fails as a whole") {
  ProtocolRegistry registry;
  bool added = false;
  for (std::size_t number = 1; !added; ++number) {
    auto factory = test::make_memory_protocol(std::make_shared<test::MemoryHub>());
    test::fail_allocation(number);
    try {
      added = registry.add(std::move(factory)).has_value();
    } catch (const std::bad_alloc&) {
      test::stop_failing_allocation();
      CHECK(registry.schemes().empty());
      CHECK_FALSE(registry.claim({test::memory_profile_tag, {}}).has_value());
    }
    test::stop_failing_allocation();
    REQUIRE(number < 100);
    if (number == 1) CHECK_FALSE(added);
  }
  CHECK(registry.find("memory") != nullptr);
}

}  // namespace
}  // namespace perigee::transport
