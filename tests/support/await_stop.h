// Waiting for a stop request.
#pragma once

#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace perigee::test {

/// Blocks until a stop is requested.
inline void await_stop(const std::stop_token& token) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  CHECK_FALSE(stopped.wait(lock, token, [] { return false; }));
}

}  // namespace perigee::test
