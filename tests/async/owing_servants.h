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
struct Debt {
  std::move_only_function<void(std::uint32_t result)> pay;  ///< sends the reply; call it once
  std::stop_token stop;
};

/// The deferred replies of a test's servants, by the requests' arguments. The test must send all of
/// them.
class Debts {
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
  [[nodiscard]] Debt take(std::uint32_t argument) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return debts_.contains(argument); });
    Debt debt = std::move(debts_.at(argument));
    debts_.erase(argument);
    return debt;
  }

 private:
  // The coroutine adds the debt when it suspends, so the reply has been sent when `pay` returns.
  [[nodiscard]] ActingServant::Action coroutine() {
    return [this, serve = serving(&Debts::wait)](orb::ServerRequest& request) {
      serve(request);
      auto [argument, debt] = std::exchange(begun_, {});
      add(argument, std::move(debt));
    };
  }
  static task<std::uint32_t> wait(std::uint32_t argument) {
    completion<std::uint32_t> answer;
    const std::stop_token stop = co_await stop_token_of_this_task();
    begun_.first = argument;
    begun_.second = Debt{[&answer](std::uint32_t result) { answer.complete(result); }, stop};
    const std::uint32_t result = co_await answer;
    co_return result;
  }
  void add(std::uint32_t argument, Debt debt) {
    const std::lock_guard lock(mutex_);
    debts_.insert_or_assign(argument, std::move(debt));
    changed_.notify_all();
  }

  /// The argument and the debt of the coroutine that the calling thread has just begun.
  static inline thread_local std::pair<std::uint32_t, Debt> begun_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::map<std::uint32_t, Debt> debts_;
};

/// Servants of both kinds, on a server of each strategy.
inline void for_owing_servers(function_ref<void(Debts& debts, const ServerFixture& server)> test) {
  const ThreadStrategy strategy = each_strategy();
  for (const Later later : {Later::answer, Later::coroutine}) {
    CAPTURE(static_cast<int>(later));
    Debts debts;
    const ServerFixture server(strategy, debts.servant(later));
    test(debts, server);
  }
}

}  // namespace perigee::test
