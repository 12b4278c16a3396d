// Coroutines as servants: what generated skeletons (…AsyncS.cpp) call.
#pragma once

#include <perigee/async/task.h>
#include <perigee/base/pool.h>
#include <perigee/orb/async_stub.h>
#include <perigee/orb/inherited_time_limit.h>
#include <perigee/poa/answer.h>
#include <perigee/poa/stop_token.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace perigee::async {

namespace detail {

/// Until when the caller waits, whose time is limited: nanoseconds of std::chrono::steady_clock.
[[nodiscard]] PERIGEE_API Deadline awaited_until(const orb::ServerRequest& request) noexcept;

/// With TIMEOUT, if the task was stopped since its caller's time is over.
PERIGEE_API void answer_exception(skeleton::Answer& answer, const std::exception_ptr& error);

/// One request that a task answers. From the pool; deletes itself when the task ends.
template <typename Result, typename Encode>
class Serving final {
 public:
  Serving(orb::ServerRequest& request, Encode encode)
      : answer_(request), encode_(std::move(encode)) {}

  static void* operator new(std::size_t size) { return pool::allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept {
    pool::release(memory, size);
  }

  [[nodiscard]] static std::stop_token stop_token(void* context) {
    return skeleton::lend_stop_token(static_cast<Serving*>(context)->answer_);
  }
  static void share_stop_token(void* context) noexcept {
    skeleton::share_stop_token(static_cast<Serving*>(context)->answer_);
  }
  static void stop_cancels(void* context, stub::CallHandle& call) noexcept {
    skeleton::cancel_with(static_cast<Serving*>(context)->answer_, call);
  }
  static constexpr StopAccess stop_access{&stop_token, &share_stop_token, &stop_cancels};
  void fail(const std::exception_ptr& error) noexcept try {
    answer_exception(answer_, error);
  } catch (...) {  // nobody else answers: out of memory, and the client has heard so
  }
  static void ended(void* context, outcome<Result>& result) noexcept {
    Serving* const serving = static_cast<Serving*>(context);
    if (const std::exception_ptr error = result.error())
      serving->fail(error);
    else
      serving->succeed(result);
    delete serving;
  }

 private:
  void succeed(outcome<Result>& result) noexcept try {
    if constexpr (std::is_void_v<Result>)
      answer_.reply(nullptr);
    else
      answer_.reply([&](cdr::Encoder& encoder) { encode_(encoder, result.value()); });
  } catch (...) {  // what does not encode has been answered with that
  }

  skeleton::Answer answer_;
  [[no_unique_address]] Encode encode_;
};

}  // namespace detail

/// Begins the task that `begin` returns, and answers the request with its result when it ends, on
/// whichever thread: with what `encode(encoder, result)` writes, or with the exception that left
/// the task, or `begin`. The task's stop token and remaining time are the request's (see
/// perigee::stop_token_of, perigee::remaining_time_of).
/// In the upcall, after `set_raises` and `end_of_arguments`.
template <typename Result, typename Begin, typename Encode>
void serve(orb::ServerRequest& request, Begin&& begin, Encode encode) {
  using Serving = detail::Serving<Result, Encode>;
  auto* const serving = new Serving(request, std::move(encode));
  Deadline until;
  std::optional<stub::InheritedTimeLimit> inherited;  // later calls learn it from the task
  if (request.time_limited()) inherited.emplace(until = detail::awaited_until(request));
  task<Result> work;
  try {
    work = begin();
    if (!work) throw CORBA::UNKNOWN(0, CORBA::COMPLETED_MAYBE, "the servant has made no task");
  } catch (...) {
    outcome<Result> failed;
    failed.set_error(std::current_exception());
    return Serving::ended(serving, failed);
  }
  start(std::move(work), Serving::stop_access, until, serving, &Serving::ended);
}

/// The same for tasks without results.
template <typename Result, typename Begin>
  requires std::is_void_v<Result>
void serve(orb::ServerRequest& request, Begin&& begin) {
  serve<void>(request, std::forward<Begin>(begin), nullptr);
}

}  // namespace perigee::async
