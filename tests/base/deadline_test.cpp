// Deadlines, in particular at both ends of their range.
#include <perigee/base/deadline.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>

namespace perigee {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint epoch{};
constexpr TimePoint now = epoch + 1h;

TEST_CASE("a deadline passes at its time, not before") {
  constexpr Deadline deadline = Deadline::at(now);
  CHECK_FALSE(deadline.is_never());
  CHECK_FALSE(deadline.passed(now - 1ns));
  CHECK(deadline.passed(now));
  CHECK(deadline.passed(now + 1h));
  CHECK(deadline.time() == now);
  CHECK(Deadline::after(10ms, now).time() == now + 10ms);
  CHECK(Deadline::immediately().passed(TimePoint::min()));
  CHECK(Deadline::immediately().left(epoch) == Duration::zero());
}

TEST_CASE("a deadline of never has no end") {
  CHECK(Deadline().is_never());
  CHECK(Deadline::never() == Deadline());
  CHECK_FALSE(Deadline::never().passed(TimePoint::max()));
  CHECK(Deadline::never().left(now) == Duration::max());
  CHECK(std::min(Deadline::never(), Deadline::at(now)) == Deadline::at(now));
  CHECK(Deadline::never() > Deadline::after(Duration::max(), now));
}

TEST_CASE("the time left is never negative") {
  CHECK(Deadline::at(now).left(now - 5ms) == 5ms);
  CHECK(Deadline::at(now).left(now) == Duration::zero());
  CHECK(Deadline::at(now).left(now + 1h) == Duration::zero());
  CHECK(Deadline::at(epoch + Duration::max()).left(TimePoint::min()) == Duration::max());
}

TEST_CASE("no duration overflows a deadline") {
  for (const TimePoint start : {TimePoint::min(), epoch, now}) {
    const Deadline latest = Deadline::after(std::chrono::hours::max(), start);
    CHECK_FALSE(latest.is_never());
    CHECK_FALSE(latest.passed(start + (start < epoch ? 1h : 0h)));
    CHECK(latest.left(start) >= Duration::zero());
    CHECK(Deadline::after(std::chrono::hours::min(), start).passed(start));
    CHECK(Deadline::after(-1s, std::max(start, epoch)).passed(std::max(start, epoch)));
  }
  CHECK(Deadline::after(Duration::max(), now).left(now) > 200 * 365 * 24h);
  CHECK(Deadline::after(std::chrono::duration<double>(1e300), now) ==
        Deadline::after(Duration::max(), now));
  CHECK(Deadline::after(std::chrono::duration<double>(0.5), now).left(now) == 500ms);
}

}  // namespace
}  // namespace perigee
