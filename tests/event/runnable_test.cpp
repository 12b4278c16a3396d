// The states of threads.
#include "event/runnable.h"

#include "support/await_condition.h"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <thread>

using namespace perigee;

TEST_CASE("the state of a thread is the letter after its name in parentheses") {
  CHECK(event::state_of_stat("17 (server) S 1 17 17 0") == 'S');
  CHECK(event::state_of_stat("4194304 (a) R (b) c)  ) R 1 17") == 'R');
  CHECK(event::state_of_stat("17 (server) ") == 0);
  CHECK(event::state_of_stat("17") == 0);
  CHECK(event::state_of_stat("") == 0);
}

TEST_CASE("the load averages end with the runnable threads of the machine") {
  CHECK(event::runnable_of_loadavg("0.20 0.18 0.12 3/345 11206\n") == 3);
  CHECK(event::runnable_of_loadavg("2/3") == 2);
  CHECK(!event::runnable_of_loadavg("0.20 0.18 0.12"));
  CHECK(!event::runnable_of_loadavg("x/3"));
  CHECK(!event::runnable_of_loadavg("/3"));
  CHECK(!event::runnable_of_loadavg(""));
}

TEST_CASE("a thread is runnable while it computes, not while it sleeps") {
  CHECK(event::is_runnable(event::thread_id()));
  std::promise<pid_t> id;
  std::promise<void> leave;
  std::thread sleeper([&] {
    id.set_value(event::thread_id());
    leave.get_future().wait();
  });
  const pid_t sleeping = id.get_future().get();
  // It is enough to find the thread asleep once: a page fault can make it runnable again.
  test::await_condition([&] { return !event::is_runnable(sleeping); });
  leave.set_value();
  sleeper.join();
  // The thread has ended, but `join` may return before the system removes the thread.
  test::await_condition([&] { return !event::is_runnable(sleeping); });
}
