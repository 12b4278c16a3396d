// The process's clock.
#include <perigee/base/clock.h>

#include <doctest/doctest.h>

TEST_CASE("the steady clock is one object and never goes back") {
  const perigee::Clock& clock = perigee::steady_clock();
  CHECK(&clock == &perigee::steady_clock());
  const auto first = clock.now();
  CHECK(clock.now() >= first);
}
