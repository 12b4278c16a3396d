// Servants of both kinds that reply when the test tells them to.
#pragma once

#include "async/serving.h"
#include "orb/server/server_fixture.h"
#include "support/await_stop.h"
#include <perigee/async/completion.h>
#include <perigee/base/function_ref.h>
#include <perigee/poa/answer.h>
#include <perigee/poa/stop_token.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <utility>

namespace perigee::test {

/// How servants defer their replies: they store a reply handler, or they are coroutines that wait.
enum class Later : std::uint8_t { answer, coroutine };

/// A request whose reply the test sends.
struct DeferredReply {
  std::move_only_function<void(std::uint32_t result)> send;  ///< sends the reply; call it once
  std::stop_token stop;
};

/// The deferred replies of a test's servants, by the requests' arguments. The test must send all of
/// them.
class DeferredReplies {
 public:
  [[nodiscard]] ActingServant::Action servant(Later later) {
    if (later == Later::coroutine) return coroutine();
    return [this](orb::ServerRequest& request) {
      std::uint32_t argument = 0;
      request.arguments() >> argument;
      request.end_of_arguments();
      skeleton::Answer answer(request);
      const std::stop_token stop = stop_token_of(answer);
      add(argument, {[answer = std::move(answer)](std::uint32_t result) mutable {
                       answer.reply([result](cdr::Encoder& encoder) { encoder << result; });
                     },
                     stop});
    };
  }
  /// Waits for the request.
  [[nodiscard]] DeferredReply take(std::uint32_t argument) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return deferred_.contains(argument); });
    DeferredReply kept = std::move(deferred_.at(argument));
    deferred_.erase(argument);
    return kept;
  }

 private:
  // The coroutine adds the deferred reply when it suspends, so the reply has been sent when `send`
  // returns.
  [[nodiscard]] ActingServant::Action coroutine() {
    return [this, serve = serving(&DeferredReplies::wait)](orb::ServerRequest& request) {
      serve(request);
      auto [argument, kept] = std::exchange(begun_, {});
      add(argument, std::move(kept));
    };
  }
  static task<std::uint32_t> wait(std::uint32_t argument) {
    completion<std::uint32_t> answer;
    const std::stop_token stop = co_await stop_token_of_this_task();
    begun_.first = argument;
    begun_.second =
        DeferredReply{[&answer](std::uint32_t result) { answer.complete(result); }, stop};
    const std::uint32_t result = co_await answer;
    co_return result;
  }
  void add(std::uint32_t argument, DeferredReply kept) {
    const std::lock_guard lock(mutex_);
    deferred_.insert_or_assign(argument, std::move(kept));
    changed_.notify_all();
  }

  /// The argument and the deferred reply of the coroutine that the calling thread has just begun.
  static inline thread_local std::pair<std::uint32_t, DeferredReply> begun_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::map<std::uint32_t, DeferredReply> deferred_;
};

/// Servants of both kinds, on a server of each strategy.
inline void for_deferring_servers(
    function_ref<void(DeferredReplies& deferred, const ServerFixture& server)> test) {
  const ThreadStrategy strategy = each_strategy();
  for (const Later later : {Later::answer, Later::coroutine}) {
    CAPTURE(static_cast<int>(later));
    DeferredReplies deferred;
    const ServerFixture server(strategy, deferred.servant(later));
    test(deferred, server);
  }
}

}  // namespace perigee::test
