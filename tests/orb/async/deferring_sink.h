// A sink of the tests that replies when the test tells it to.
#pragma once

#include "poa/fakes.h"
#include <perigee/poa/answer.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace perigee::test {

/// A servant whose deferred replies the test sends.
class DeferringSink {
 public:
  [[nodiscard]] ActingServant::Action servant() {
    return [this](orb::ServerRequest& request) {
      request.arguments().skip(4);
      request.end_of_arguments();
      const std::lock_guard lock(mutex_);
      deferred_.emplace_back(request);
      changed_.notify_all();
    };
  }
  void await(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return deferred_.size() >= count; });
  }
  void reply_all(std::uint32_t result) {
    const std::lock_guard lock(mutex_);
    for (skeleton::Answer& answer : std::exchange(deferred_, {}))
      answer.reply([result](cdr::Encoder& encoder) { encoder << result; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<skeleton::Answer> deferred_;
};

}  // namespace perigee::test
