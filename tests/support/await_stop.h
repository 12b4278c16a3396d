// Waiting until somebody is asked to stop.
#pragma once

#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace perigee::test {

/// Blocks until it is stopped.
inline void await_stop(const std::stop_token& token) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  CHECK_FALSE(stopped.wait(lock, token, [] { return false; }));
}

}  // namespace perigee::test
