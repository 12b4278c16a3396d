// Tasks whose waits end without free memory.
#include "coroutines/leaves.h"
#include "support/allocations.h"
#include <perigee/async/completion.h>
#include <perigee/async/run.h>
#include <perigee/event/reactor.h>

#include <doctest/doctest.h>

#include <memory>

namespace perigee {
namespace {

using test::Started;

task<int> wait_for(completion<int>& awaited) { co_return co_await awaited; }

TEST_CASE("a completion resumes its task on a reactor without free memory") {
  const auto reactor = event::make_reactor().value();
  completion<int> answer(on(*reactor));
  Started<int> started(wait_for(answer));
  test::fail_allocation(1, 1'000'000);
  const bool completed = answer.complete(5);
  const bool failed = test::stop_failing_allocation();
  CHECK(completed);
  CHECK_FALSE(failed);
  CHECK_FALSE(started.ended());
  reactor->run_once(Deadline::immediately());
  REQUIRE(started.ended());
  CHECK(started.get() == 5);
}

task<int> end_without_memory() {
  test::fail_allocation(1);
  co_return 3;
}

TEST_CASE("a task that the function run drives ends without free memory") {
  const auto reactor = event::make_reactor().value();
  const int value = run(*reactor, end_without_memory());
  CHECK_FALSE(test::stop_failing_allocation());
  CHECK(value == 3);
}

}  // namespace
}  // namespace perigee
