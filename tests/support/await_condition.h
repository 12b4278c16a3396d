// Waiting for what another thread or process does.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <source_location>
#include <thread>

namespace perigee::test {

/// Returns when the condition holds. Fails after two minutes, which is longer than any delay on a
/// busy machine. Only for the thread of the test.
template <typename Condition>
void await_condition(const Condition& holds,
                     const std::source_location where = std::source_location::current()) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end)
      ADD_FAIL_AT(where.file_name(), static_cast<int>(where.line()),
                  "the condition does not hold after two minutes");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace perigee::test
