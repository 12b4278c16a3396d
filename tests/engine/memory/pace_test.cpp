// Pace: the test whether a transfer is too slow.
#include "engine/memory/pace.h"

#include "support/fake_clock.h"

#include <doctest/doctest.h>

namespace perigee::engine::test {
namespace {

using perigee::test::FakeClock;
using std::chrono::milliseconds;
using std::chrono::seconds;

const PaceLimits limits;

TEST_CASE("no transfer is too slow within the grace period") {
  FakeClock clock;
  Pace pace;
  CHECK_FALSE(pace.is_too_slow(clock.now(), 0, limits));  // no transfer has begun
  pace.begin(clock.now(), 500);
  clock.advance(seconds(10));
  CHECK_FALSE(pace.is_too_slow(clock.now(), 500, limits));
  clock.advance(milliseconds(1));
  CHECK(pace.is_too_slow(clock.now(), 500, limits));
  pace.end();
  CHECK_FALSE(pace.is_too_slow(clock.now(), 500, limits));
}

TEST_CASE("the pace is the average since the transfer began") {
  FakeClock clock;
  Pace pace;
  pace.begin(clock.now(), 0);
  clock.advance(seconds(100));
  CHECK_FALSE(pace.is_too_slow(clock.now(), 100 * 1024, limits));
  CHECK(pace.is_too_slow(clock.now(), 100 * 1024 - 1, limits));
}

TEST_CASE("single octets from time to time do not keep a transfer from being too slow") {
  FakeClock clock;
  Pace pace;
  pace.begin(clock.now(), 0);
  std::uint64_t octets = 0;
  while (!pace.is_too_slow(clock.now(), octets, limits)) {
    clock.advance(milliseconds(500));
    ++octets;
  }
  CHECK(octets == 21);  // 10.5 seconds
}

TEST_CASE("a limit of zero accepts every pace") {
  FakeClock clock;
  Pace pace;
  pace.begin(clock.now(), 0);
  clock.advance(std::chrono::hours(1000));
  CHECK_FALSE(pace.is_too_slow(clock.now(), 0, {.octets_per_second = 0}));
}

TEST_CASE("the expected time follows from the pace so far") {
  FakeClock clock;
  Pace pace;
  pace.begin(clock.now(), 1000);
  clock.advance(seconds(10));
  CHECK(pace.expected(clock.now(), 1100, 50) == seconds(5));
  CHECK(pace.expected(clock.now(), 1100, 0) == Duration::zero());
  CHECK(pace.expected(clock.now(), 1000, 50) == Duration::max());
  CHECK(pace.expected(clock.now(), 1001, ~std::uint64_t{0}) == Duration::max());
}

}  // namespace
}  // namespace perigee::engine::test
