// The test program of the reactor runs once for each poller.
#pragma once

#include <perigee/event/reactor.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace perigee::test {

/// PERIGEE_TEST_POLLER: "uring", else epoll.
[[nodiscard]] inline event::PollerKind poller_of_run() {
  const char* const name = std::getenv("PERIGEE_TEST_POLLER");  // NOLINT(concurrency-mt-unsafe)
  const bool is_uring = name != nullptr && std::string_view(name) == "uring";
  return is_uring ? event::PollerKind::uring : event::PollerKind::epoll;
}

[[nodiscard]] inline std::unique_ptr<event::Reactor> make_test_reactor(
    const Clock& clock = steady_clock(), event::Threads threads = event::Threads::one) {
  return event::make_reactor(clock, {}, threads, poller_of_run()).value();
}

}  // namespace perigee::test
