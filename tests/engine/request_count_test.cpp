// The limit of requests in progress, lent to loops.
#include "engine/loops/request_count.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

using namespace perigee::engine;

namespace {

std::uint32_t begin_all(RequestShare& share) {
  std::uint32_t begun = 0;
  while (share.begin()) ++begun;
  return begun;
}

}  // namespace

TEST_CASE("a loop has all places that other loops do not use") {
  RequestCount all(100);
  RequestShare idle(all);
  RequestShare busy(all);
  REQUIRE(idle.begin());  // a portion of places lies in its share
  CHECK(all.count() == 1);
  CHECK(begin_all(busy) == 99);
  CHECK(all.count() == 100);
  CHECK_FALSE(idle.begin());
  busy.end();
  CHECK(idle.begin());
  CHECK_FALSE(busy.begin());
  CHECK(all.count() == 100);
}

TEST_CASE("a limit below one portion is exact, and so is a limit of zero") {
  for (const std::uint32_t max : {0U, 1U, 63U, 64U, 65U}) {
    CAPTURE(max);
    RequestCount all(max);
    RequestShare first(all);
    RequestShare second(all);
    CHECK(begin_all(first) == max);
    CHECK_FALSE(second.begin());
    CHECK(all.count() == max);
    for (std::uint32_t left = max; left > 0; --left) first.end();
    CHECK(begin_all(second) == max);
    for (std::uint32_t left = max; left > 0; --left) second.end();
    CHECK(all.count() == 0);
  }
}

TEST_CASE("a loop that ends gives its places back") {
  RequestCount all(10);
  auto ending = std::make_unique<RequestShare>(all);
  RequestShare staying(all);
  REQUIRE(ending->begin());
  ending->end();
  ending.reset();
  CHECK(begin_all(staying) == 10);
}

TEST_CASE("requests of several loops never exceed the limit, and no place is lost") {
  constexpr std::uint32_t max = 150;
  RequestCount all(max);
  std::array<RequestShare, 3> shares{RequestShare(all), RequestShare(all), RequestShare(all)};
  std::atomic<std::uint32_t> in_progress{0};
  std::atomic<bool> exceeded{false};
  const auto serve = [&](RequestShare& share) {
    for (int round = 0; round < 2000; ++round) {
      std::uint32_t begun = 0;
      while (begun < 100 && share.begin()) {
        ++begun;
        if (in_progress.fetch_add(1) >= max) exceeded = true;
      }
      for (; begun > 0; --begun) {
        in_progress.fetch_sub(1);
        share.end();
      }
    }
  };
  std::vector<std::thread> threads;
  for (RequestShare& share : shares) threads.emplace_back([&] { serve(share); });
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(exceeded);
  CHECK(all.count() == 0);
  CHECK(begin_all(shares[0]) == max);
}
