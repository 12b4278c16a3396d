// retry: the failures after which a call is attempted again, the delays, and the end of the
// retries.
#include "orb/fixture.h"
#include "support/fake_sleeper.h"
#include <perigee/orb/retry.h>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace perigee::test {

namespace {

using namespace std::chrono_literals;
using Delays = std::vector<Duration>;

// Without jitter, so that the delays are known.
RetrySchedule exact(std::uint32_t attempts_max) {
  return {.attempts_max = attempts_max, .jitter = 0};
}

/// A call that fails a number of times before it returns a value.
struct Call {
  int failures_left = 0;
  CORBA::CompletionStatus completed = CORBA::COMPLETED_NO;
  int attempts = 0;

  int operator()() {
    ++attempts;
    if (failures_left-- > 0) throw CORBA::TRANSIENT(0, completed, std::to_string(attempts));
    return 42;
  }
};

std::string refusal(const RetrySchedule& schedule) {
  FakeSleeper sleeper;
  Call call;
  const auto exception = caught<CORBA::BAD_PARAM>([&] { (void)retry(call, schedule, sleeper); });
  CHECK(call.attempts == 0);
  return exception.detail();
}

}  // namespace

TEST_CASE("a call that succeeds is attempted once") {
  FakeSleeper sleeper;
  Call call;
  CHECK(retry(call, {}, sleeper) == 42);
  CHECK(call.attempts == 1);
  CHECK(sleeper.slept().empty());
}

TEST_CASE("a call is attempted again after TRANSIENT, and each delay is twice the previous delay") {
  FakeSleeper sleeper;
  Call call{.failures_left = 3};
  CHECK(retry(call, exact(5), sleeper) == 42);
  CHECK(call.attempts == 4);
  CHECK(sleeper.slept() == Delays{100ms, 200ms, 400ms});
}

TEST_CASE("if all attempts fail, retry throws the exception of the last attempt") {
  FakeSleeper sleeper;
  Call call{.failures_left = 9};
  const auto exception = caught<CORBA::TRANSIENT>([&] { (void)retry(call, exact(3), sleeper); });
  CHECK(exception.detail() == "3");
  CHECK(call.attempts == 3);
  CHECK(sleeper.slept().size() == 2);
}

TEST_CASE("a delay does not exceed the longest delay of the schedule") {
  FakeSleeper sleeper;
  const RetrySchedule schedule{
      .attempts_max = 6, .first_delay = 1s, .factor = 3, .delay_max = 5s, .jitter = 0};
  Call call{.failures_left = 5};
  CHECK(retry(call, schedule, sleeper) == 42);
  CHECK(sleeper.slept() == Delays{1s, 3s, 5s, 5s, 5s});
}

TEST_CASE("a growing delay does not overflow") {
  FakeSleeper sleeper;
  const RetrySchedule schedule{.attempts_max = 5,
                               .first_delay = 1h,
                               .factor = 1e300,
                               .delay_max = Duration::max(),
                               .jitter = 0};
  RetryDelays delays(schedule, sleeper);
  CHECK(delays.after(CORBA::TRANSIENT()) == 1h);
  for (int attempt = 0; attempt != 3; ++attempt)
    CHECK(delays.after(CORBA::TRANSIENT()) == Duration::max());
  CHECK_FALSE(delays.after(CORBA::TRANSIENT()));
}

TEST_CASE("a call that the server may have executed is not attempted again") {
  for (const auto completed : {CORBA::COMPLETED_MAYBE, CORBA::COMPLETED_YES}) {
    FakeSleeper sleeper;
    Call call{.failures_left = 1, .completed = completed};
    CHECK_THROWS_AS((void)retry(call, {}, sleeper), CORBA::TRANSIENT);
    CHECK(call.attempts == 1);
  }
}

TEST_CASE("an exception other than TRANSIENT ends retry at once") {
  FakeSleeper sleeper;
  int attempts = 0;
  const auto failing = [&](const auto& exception) {
    return [&] {
      ++attempts;
      throw exception;
    };
  };
  CHECK_THROWS_AS(retry(failing(CORBA::COMM_FAILURE()), {}, sleeper), CORBA::COMM_FAILURE);
  CHECK_THROWS_AS(retry(failing(CORBA::InvalidName()), {}, sleeper), CORBA::InvalidName);
  CHECK_THROWS_AS(retry(failing(std::runtime_error("no")), {}, sleeper), std::runtime_error);
  CHECK(attempts == 3);
  CHECK(sleeper.slept().empty());
}

TEST_CASE("retry_if selects the failures after which a call is attempted again") {
  FakeSleeper sleeper;
  RetrySchedule schedule = exact(3);
  schedule.retry_if = [](const CORBA::SystemException& failure) {
    return is_transient(failure) || dynamic_cast<const CORBA::COMM_FAILURE*>(&failure) != nullptr;
  };
  int attempts = 0;
  retry(
      [&] {
        if (++attempts < 3) throw CORBA::COMM_FAILURE(0, CORBA::COMPLETED_MAYBE);
      },
      schedule, sleeper);
  CHECK(attempts == 3);
}

TEST_CASE("retry makes no attempt that would begin after time_max") {
  FakeSleeper sleeper;
  RetrySchedule schedule = exact(10);
  schedule.time_max = 1s;
  Call call{.failures_left = 9};
  CHECK_THROWS_AS((void)retry(call, schedule, sleeper), CORBA::TRANSIENT);
  CHECK(sleeper.slept() == Delays{100ms, 200ms, 400ms});  // the next attempt would begin at 1.5 s
}

TEST_CASE("time_max includes the duration of the attempts") {
  FakeSleeper sleeper;
  RetrySchedule schedule = exact(10);
  schedule.time_max = 1s;
  int attempts = 0;
  CHECK_THROWS_AS(retry(
                      [&] {
                        ++attempts;
                        sleeper.advance(500ms);
                        throw CORBA::TRANSIENT();
                      },
                      schedule, sleeper),
                  CORBA::TRANSIENT);
  CHECK(attempts == 2);
}

TEST_CASE("jitter shortens each delay by a random part, at most by its fraction of the delay") {
  FakeSleeper sleeper;
  const RetrySchedule schedule{.attempts_max = 51, .first_delay = 1s, .factor = 1, .jitter = 0.25};
  Call call{.failures_left = 50};
  CHECK(retry(call, schedule, sleeper) == 42);
  for (const Duration delay : sleeper.slept()) {
    CHECK(delay >= 750ms);
    CHECK(delay <= 1s);
  }
  CHECK(std::set<Duration>(sleeper.slept().begin(), sleeper.slept().end()).size() > 1);
}

TEST_CASE("a schedule value that is out of range raises BAD_PARAM before the first attempt") {
  CHECK(refusal({.attempts_max = 0}) ==
        "RetrySchedule::attempts_max is out of range; pass 1 or more");
  CHECK(refusal({.first_delay = -1ms}) ==
        "RetrySchedule::first_delay is out of range; pass zero or more");
  CHECK(refusal({.factor = 0.5}) == "RetrySchedule::factor is out of range; pass 1 or more");
  CHECK(refusal({.delay_max = -1ms}) ==
        "RetrySchedule::delay_max is out of range; pass zero or more");
  CHECK(refusal({.jitter = 1.5}) == "RetrySchedule::jitter is out of range; pass 0 to 1");
  CHECK(refusal({.time_max = -1ms}) ==
        "RetrySchedule::time_max is out of range; pass zero or more");
  CHECK(refusal({.retry_if = nullptr}) ==
        "RetrySchedule::retry_if is out of range; pass a function");
}

TEST_CASE("retry returns move-only values, references and void") {
  FakeSleeper sleeper;
  int target = 1;
  CHECK(*retry([] { return std::make_unique<int>(7); }, {}, sleeper) == 7);
  CHECK(&retry([&]() -> int& { return target; }, {}, sleeper) == &target);
  static_assert(std::is_void_v<decltype(retry([] {}, {}, sleeper))>);
}

TEST_CASE("an exception that the sleeper throws ends the retries") {
  class Interrupted final : public Sleeper {
   public:
    [[nodiscard]] TimePoint now() const noexcept override { return steady_clock().now(); }
    void sleep(Duration) override { throw std::runtime_error("interrupted"); }
  };
  Interrupted sleeper;
  Call call{.failures_left = 9};
  CHECK_THROWS_WITH((void)retry(call, {}, sleeper), "interrupted");
  CHECK(call.attempts == 1);
}

TEST_CASE("a call to a server that refuses connections succeeds when the server is back") {
  Fixture fixture;
  FakeSleeper sleeper;
  const auto object = fixture.object({"peer"});
  int attempts = 0;
  const std::int32_t result = retry(
      [&] {
        if (++attempts == 3) fixture.peer("peer", reply_with_long(5));
        return echo(object);
      },
      exact(5), sleeper);
  CHECK(result == 5);
  CHECK(attempts == 3);
}

TEST_CASE("thread_sleeper sleeps by the steady clock") {
  const TimePoint before = steady_clock().now();
  thread_sleeper().sleep(1ns);
  CHECK(thread_sleeper().now() > before);
}

}  // namespace perigee::test
