// The forms of co_await that docs/async.md recommends: every temporary is destroyed once, whether
// the task waits or not. miscompiled_test.cpp has the forms that g++ 12 miscompiles.
#include "coroutines/counted.h"
#include "coroutines/leaves.h"
#include <perigee/async/task.h>

#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace perigee {
namespace {

using test::Counted;
using test::Gate;
using test::Started;

Gate gate;

task<int> value(Counted counted) {
  co_await gate;
  co_return counted.number();
}
task<Counted> made(int number) {
  co_await gate;
  co_return Counted(number);
}
task<bool> positive(Counted counted) {
  co_await gate;
  co_return counted.number() > 0;
}

struct Aggregate {
  Counted first;
  int second = 0;
};
/// A class with a constructor, which generated code has instead of aggregates.
class WithConstructor {
 public:
  WithConstructor(Counted first, int second) : first_(std::move(first)), second_(second) {}
  [[nodiscard]] int sum() const noexcept { return first_.number() + second_; }

 private:
  Counted first_;
  int second_;
};
task<int> of_aggregate(Aggregate aggregate) {
  co_await gate;
  co_return aggregate.first.number() + aggregate.second;
}
task<int> of_class(WithConstructor object) {
  co_await gate;
  co_return object.sum();
}
task<int> of_list(std::vector<Counted> list) {
  co_await gate;
  int sum = 0;
  for (const Counted& counted : list) sum += counted.number();
  co_return sum;
}

/// Runs a form and returns its result; checks that each object is destroyed exactly once.
int outcome_of(task<int> (*form)()) {
  Counted::reset();
  Started<int> started(form());
  while (gate.has_waiter()) gate.open();
  CHECK(Counted::alive() == 0);
  CHECK(Counted::misplaced() == 0);
  return started.get();
}

TEST_CASE("a co_await may be the whole expression of a declaration, an assignment or a return") {
  CHECK(outcome_of([]() -> task<int> {
          int number = co_await value(Counted(1));
          number = co_await value(Counted(number + 1));
          co_return co_await value(Counted(number + 1));
        }) == 3);
}

TEST_CASE("a co_await may be the whole condition of an if, a while or a switch") {
  CHECK(outcome_of([]() -> task<int> {
          int rounds = 0;
          while (co_await positive(Counted(3 - rounds))) rounds += 1;
          if (co_await positive(Counted(0))) co_return 0;
          switch (co_await value(Counted(rounds))) {
            case 3:
              co_return 30;
            default:
              co_return 0;
          }
        }) == 30);
}

TEST_CASE("nested conditions and named values replace && and || around co_await") {
  CHECK(outcome_of([]() -> task<int> {
          if (Counted(1).number() == 1) {
            if (co_await positive(Counted(1))) {
              const bool negative = co_await positive(Counted(-1));
              if (negative || Counted(2).number() == 2) co_return 1;
            }
          }
          co_return 0;
        }) == 1);
}

TEST_CASE("if and else replace ?: around co_await") {
  CHECK(outcome_of([]() -> task<int> {
          std::optional<Counted> chosen;
          if (Counted(1).number() == 1) {
            chosen = co_await made(4);
          } else {
            chosen = Counted(5);
          }
          co_return chosen->number();
        }) == 4);
}

TEST_CASE("a named value, or a function that chooses, replaces ?: in an argument of co_await") {
  CHECK(outcome_of([]() -> task<int> {
          Counted chosen = Counted(1).number() == 1 ? Counted(2) : Counted(3);
          const int number = co_await value(std::move(chosen));
          const auto choose = [](bool first) {
            return first ? value(Counted(4)) : value(Counted(5));
          };
          co_return number + co_await choose(true);
        }) == 6);
}

TEST_CASE("a named aggregate, or a class with a constructor, replaces an aggregate temporary") {
  CHECK(outcome_of([]() -> task<int> {
          Aggregate named{Counted(1), 2};
          const int first = co_await of_aggregate(std::move(named));
          const int second = co_await of_class(WithConstructor(Counted(3), 4));
          co_return first + second;
        }) == 10);
}

TEST_CASE("a named container replaces an initializer list") {
  CHECK(outcome_of([]() -> task<int> {
          std::vector<Counted> list{Counted(1), Counted(2)};
          const int sum = co_await of_list(std::move(list));
          co_return sum;
        }) == 3);
}

TEST_CASE(
    "a result of class type works with structured bindings, members and braces in co_return") {
  struct Makes {
    static task<Aggregate> aggregate() {
      co_await gate;
      co_return {Counted(1), 2};
    }
  };
  CHECK(outcome_of([]() -> task<int> {
          const auto [counted, second] = co_await Makes::aggregate();
          const int member = (co_await made(5)).number();
          co_return counted.number() + second + member;
        }) == 8);
}

TEST_CASE("a co_await may stand in the argument of another co_await, and in a sum") {
  CHECK(outcome_of([]() -> task<int> {
          const int inner = co_await value(co_await made(4));
          const int sum = co_await value(Counted(1)) + co_await value(Counted(2));
          co_return inner + sum;
        }) == 7);
}

TEST_CASE("an exception passes a co_await, and a coroutine may wait after the catch clause") {
  struct Fails {
    static task<int> later(Counted counted) {
      co_await gate;
      throw std::runtime_error(std::to_string(counted.number()));
    }
  };
  CHECK(outcome_of([]() -> task<int> {
          std::string text;
          try {
            const Counted local(7);
            text = std::to_string(co_await Fails::later(local));
          } catch (const std::runtime_error& error) {
            text = error.what();
          }
          const int after = co_await value(Counted(1));
          co_return std::stoi(text) + after;
        }) == 8);
}

TEST_CASE("a loop over a temporary may have a co_await inside") {
  CHECK(outcome_of([]() -> task<int> {
          int sum = 0;
          for (const Counted& counted : std::vector<Counted>(3, Counted(2))) {
            sum += co_await value(counted);
          }
          co_return sum;
        }) == 6);
}

}  // namespace
}  // namespace perigee
