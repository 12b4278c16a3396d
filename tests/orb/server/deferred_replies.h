// Servants whose deferred replies a test sends.
#pragma once

#include "orb/server/server_fixture.h"
#include "support/await_stop.h"
#include <perigee/poa/answer.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace perigee::test {

/// Keeps the deferred replies of its servant, by the arguments of the requests.
class DeferredReplies {
 public:
  [[nodiscard]] ActingServant::Action servant() {
    return [this](orb::ServerRequest& request) {
      std::uint32_t argument = 0;
      request.arguments() >> argument;
      request.end_of_arguments();
      const std::lock_guard lock(mutex_);
      answers_.insert_or_assign(argument, skeleton::Answer(request));
      changed_.notify_all();
    };
  }
  /// Waits for the request.
  [[nodiscard]] skeleton::Answer take(std::uint32_t argument) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answers_.contains(argument); });
    skeleton::Answer answer = std::move(answers_.at(argument));
    answers_.erase(argument);
    return answer;
  }
  void await_count(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answers_.size() >= count; });
  }
  [[nodiscard]] std::map<std::uint32_t, skeleton::Answer> take_all() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answers_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint32_t, skeleton::Answer> answers_;
};

inline void send_result(skeleton::Answer answer, std::uint32_t result) {
  answer.reply([result](cdr::Encoder& encoder) { encoder << result; });
}

}  // namespace perigee::test
