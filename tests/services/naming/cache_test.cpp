// The cache of the bindings that were resolved last.
#include "services/naming/cache.h"

#include <doctest/doctest.h>

#include <string>

namespace perigee::naming {

namespace {

Resolved binding(ContextNumber number) { return {nullptr, TargetKind::own_context, number, never}; }

}  // namespace

TEST_CASE("the cache keeps bindings of contexts apart, and forgets removed ones") {
  Cache cache(10);
  cache.put(1, {"a", "b"}, binding(7), cache.generation());
  REQUIRE(cache.find(1, {"a", "b"}));
  CHECK(cache.find(1, {"a", "b"})->context == 7);
  CHECK_FALSE(cache.find(2, {"a", "b"}));
  CHECK_FALSE(cache.find(1, {"b", "a"}));
  cache.remove(1, {"a", "b"});
  CHECK_FALSE(cache.find(1, {"a", "b"}));
}

TEST_CASE("the cache ignores a binding that was read before a change") {
  Cache cache(10);
  const auto before = cache.generation();
  cache.remove(1, {"a", ""});
  cache.put(1, {"a", ""}, binding(7), before);
  CHECK_FALSE(cache.find(1, {"a", ""}));
}

TEST_CASE("the cache keeps the bindings that are used, and a limited number of bindings") {
  Cache cache(10);
  const Component used{"used", ""};
  cache.put(1, used, binding(7), cache.generation());
  int found = 0;
  for (int number = 0; number < 100; ++number) {
    CHECK(cache.find(1, used));
    cache.put(1, {std::to_string(number), ""}, binding(8), cache.generation());
  }
  for (int number = 0; number < 100; ++number)
    found += cache.find(1, {std::to_string(number), ""}) ? 1 : 0;
  CHECK(found <= 10);
  CHECK(found >= 3);
}

}  // namespace perigee::naming
