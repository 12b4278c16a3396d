// Scopes that wait for their threads, with and without spare threads.
#include "event/thread_scope.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>

namespace perigee::event {
namespace {

/// Runs a body, waits for it, and returns how many bodies its thread has run.
int run_body(ThreadScope& scope, const std::shared_ptr<std::atomic<int>>& count) {
  thread_local int bodies = 0;
  count->store(0);
  scope.start([count] {
    count->store(++bodies);
    count->notify_one();
  });
  count->wait(0);
  return *count;
}

}  // namespace

TEST_CASE("without spare threads each body has a thread of its own") {
  ThreadScope scope;
  const auto count = std::make_shared<std::atomic<int>>(0);
  for (int turn = 0; turn < 20; ++turn) CHECK(run_body(scope, count) == 1);
}

TEST_CASE("a spare thread runs the next body") {
  ThreadScope scope(1);
  const auto count = std::make_shared<std::atomic<int>>(0);
  while (run_body(scope, count) == 1) {
    // A new thread ran the body: the previous thread was not waiting for a body yet.
  }
  CHECK(*count > 1);
}

TEST_CASE("join_all ends spare threads, and the scope can start threads again") {
  ThreadScope scope(2);
  const auto count = std::make_shared<std::atomic<int>>(0);
  for (int turn = 0; turn < 5; ++turn) {
    CHECK(run_body(scope, count) == 1);
    scope.join_all();
  }
}

TEST_CASE("a body's captures are destroyed before join_all returns") {
  ThreadScope scope(1);
  const auto count = std::make_shared<std::atomic<int>>(0);
  for (int turn = 0; turn < 50; ++turn) (void)run_body(scope, count);
  scope.join_all();
  CHECK(count.use_count() == 1);
}

TEST_CASE("bodies that several threads start at the same time all run") {
  constexpr int starters = 4;
  constexpr int bodies_each = 200;
  ThreadScope scope(2);
  std::atomic<int> count{0};
  {
    ThreadScope outer;
    for (int starter = 0; starter < starters; ++starter)
      outer.start([&scope, &count] {
        for (int body = 0; body < bodies_each; ++body) scope.start([&count] { ++count; });
      });
  }
  scope.join_all();
  CHECK(count == starters * bodies_each);
}

}  // namespace perigee::event
