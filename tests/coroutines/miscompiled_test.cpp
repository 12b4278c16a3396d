// The results of g++ 12 for the forms of co_await that docs/async.md warns of. The lint of
// tests/architecture rejects these forms in all other files. If a test fails with another compiler,
// reconsider the warning. Some forms crash or do not compile, and are not tested here: `co_await (a
// ? f() : g())`, initializer lists, `if (T().x && co_await f())`.
#include "coroutines/counted.h"
#include "coroutines/leaves.h"
#include <perigee/async/task.h>

#include <doctest/doctest.h>

namespace perigee {
namespace {

using test::Counted;
using test::Started;

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12
constexpr int left_alive = -1;  // one destruction too many
#else
constexpr int left_alive = 0;
#endif

struct Aggregate {
  Counted first;
  int second = 0;
};
task<int> value(Counted counted) { co_return counted.number(); }
task<Counted> made(int number) { co_return Counted(number); }
task<int> of_aggregate(Aggregate aggregate) { co_return aggregate.first.number(); }
template <typename Function>
task<int> of_lambda(Function function) {
  co_return function();
}

int alive_after(task<int> (*form)()) {
  Counted::reset();
  Started<int>(form()).get();
  return Counted::alive();
}

TEST_CASE("a ?: in an argument: its temporary is destroyed twice") {
  CHECK(alive_after([]() -> task<int> {
          const bool yes = co_await value(Counted(1)) == 1;
          const int number = co_await value(yes ? Counted(1) : Counted(2));
          co_return number;
        }) == left_alive);
}

TEST_CASE("a ?: around a co_await: its result is destroyed twice") {
  CHECK(alive_after([]() -> task<int> {
          const bool yes = co_await value(Counted(1)) == 1;
          const Counted counted = yes ? co_await made(1) : Counted(2);
          co_return counted.number();
        }) == left_alive);
}

TEST_CASE("an aggregate temporary: its members are destroyed twice") {
  CHECK(alive_after([]() -> task<int> {
          const int number = co_await of_aggregate(Aggregate{Counted(1), 2});
          co_return number;
        }) == left_alive);
}

TEST_CASE("a lambda as an argument: its captures by value are destroyed twice") {
  CHECK(alive_after([]() -> task<int> {
          const int number = co_await of_lambda([held = Counted(1)] { return held.number(); });
          co_return number;
        }) == left_alive);
}

}  // namespace
}  // namespace perigee
