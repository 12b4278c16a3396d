// Tasks: waiting without a thread. One thread asks several sources of prices: one after the other,
// and all at once. It also asks with a time limit, and through a library that calls back from a
// thread of its own.
#include <perigee/async/as_task.h>
#include <perigee/async/completion.h>
#include <perigee/async/run.h>
#include <perigee/async/sleep.h>
#include <perigee/async/task.h>
#include <perigee/async/when.h>
#include <perigee/async/with_scope.h>
#include <perigee/orb/exceptions.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace {

using perigee::task;
using perigee::event::Reactor;
using namespace std::chrono_literals;

// A source that gives its price after `delay`. Its sleep ends early if the task is asked to stop.
task<int> ask(Reactor& reactor, std::string source, int price, std::chrono::milliseconds delay) {
  const bool slept = co_await perigee::sleep_for(reactor, delay);
  if (!slept) throw std::runtime_error(source + ": stopped");
  if (price == 0) throw std::runtime_error(source + ": no price");
  co_return price;
}

task<int> middle(Reactor& reactor) {
  const int bid = co_await ask(reactor, "bid", 40, 1ms);
  const int offer = co_await ask(reactor, "offer", 44, 1ms);
  co_return (bid + offer) / 2;
}

task<int> spread(Reactor& reactor) {
  auto [bid, offer] = co_await perigee::when_all(ask(reactor, "bid", 40, 2ms),  //
                                                 ask(reactor, "offer", 44, 1ms));
  co_return offer - bid;
}

task<std::size_t> fastest(Reactor& reactor) {
  std::vector<task<int>> sources;
  sources.push_back(ask(reactor, "broken", 0, 0ms));
  sources.push_back(ask(reactor, "slow", 41, 1h));
  sources.push_back(ask(reactor, "fast", 42, 1ms));
  const perigee::winner<int> first = co_await perigee::when_any(std::move(sources));
  co_return first.index();
}

task<bool> in_time(Reactor& reactor) {
  task<bool> time_limit = perigee::as_task(perigee::sleep_for(reactor, 1ms));
  const std::variant<int, bool> first =
      co_await perigee::when_any(ask(reactor, "slow", 41, 1h), std::move(time_limit));
  co_return first.index() == 0;
}

task<> add(Reactor& reactor, std::string source, int price, int& total) {
  const int found = co_await ask(reactor, std::move(source), price, 1ms);
  total += found;
}

task<int> sum(Reactor& reactor) {
  int total = 0;
  co_await perigee::with_scope([&reactor, &total](perigee::scope& sources) -> task<> {
    for (int price = 40; price != 43; ++price) sources.start(add(reactor, "source", price, total));
    co_return;
  });
  co_return total;
}

task<int> sum_in_time(Reactor& reactor) {
  int total = 0;
  const auto limit = perigee::within(reactor, 100ms);
  try {
    co_await perigee::with_scope(limit, [&reactor, &total](perigee::scope& sources) -> task<> {
      sources.start(add(reactor, "source", 40, total));
      const bool slept = co_await perigee::sleep_for(reactor, 1h);
      if (slept) sources.start(add(reactor, "late source", 41, total));
    });
  } catch (const CORBA::TIMEOUT&) {
    std::cout << "(time is over) ";
  }
  co_return total;
}

task<int> from_library(Reactor& reactor) {
  perigee::completion<int> answer(perigee::on(reactor));
  const std::jthread library([&answer] { answer.complete(43); });
  const int price = co_await answer;
  co_return price;
}

}  // namespace

int main() try {
  auto reactor = perigee::event::make_reactor();
  if (!reactor) throw std::runtime_error("no reactor");
  Reactor& loop = **reactor;
  std::cout << "middle " << perigee::run(loop, middle(loop)) << '\n'
            << "spread " << perigee::run(loop, spread(loop)) << '\n'
            << "fastest " << perigee::run(loop, fastest(loop)) << '\n'
            << "in time " << perigee::run(loop, in_time(loop)) << '\n'
            << "sum " << perigee::run(loop, sum(loop)) << '\n'
            << "sum in time " << perigee::run(loop, sum_in_time(loop)) << '\n'
            << "from library " << perigee::run(loop, from_library(loop)) << '\n';
} catch (const std::exception& error) {
  std::cerr << "coroutines: " << error.what() << '\n';
  return 1;
}
