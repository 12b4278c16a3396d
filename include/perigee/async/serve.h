// Coroutines as servants, for generated skeletons (…AsyncS.cpp).
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

/// The time until which the client waits for the reply, by std::chrono::steady_clock. Call it only
/// if `request.time_limited()`.
[[nodiscard]] PERIGEE_API Deadline awaited_until(const orb::ServerRequest& request) noexcept;

/// Replies with the exception. If the task was stopped because its client's time has passed,
/// replies with TIMEOUT instead.
PERIGEE_API void answer_exception(skeleton::Answer& answer, const std::exception_ptr& error);

/// The request that a task serves. The `context` of a task's StopAccess is the address of such an
/// object. The layout is part of the binary interface.
struct ServedRequest {
  explicit ServedRequest(orb::ServerRequest& request) : answer(request) {}
  skeleton::Answer answer;
};

/// One request to which a task replies. Its memory is from the pool; it deletes itself when the
/// task ends.
template <typename Result, typename Encode>
class Serving final : public ServedRequest {
 public:
  Serving(orb::ServerRequest& request, Encode encode)
      : ServedRequest(request), encode_(std::move(encode)) {}

  static void* operator new(std::size_t size) { return pool::allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept {
    pool::release(memory, size);
  }

  [[nodiscard]] static std::stop_token stop_token(void* context) {
    return skeleton::lend_stop_token(static_cast<ServedRequest*>(context)->answer);
  }
  static void share_stop_token(void* context) noexcept {
    skeleton::share_stop_token(static_cast<ServedRequest*>(context)->answer);
  }
  static void stop_cancels(void* context, stub::CallHandle& call) noexcept {
    skeleton::cancel_with(static_cast<ServedRequest*>(context)->answer, call);
  }
  static constexpr StopAccess stop_access{&stop_token, &share_stop_token, &stop_cancels};
  void fail(const std::exception_ptr& error) noexcept try {
    answer_exception(answer, error);
  } catch (...) {  // out of memory: the destructor of `answer` sends NO_RESPONSE
  }
  static void ended(void* context, outcome<Result>& result) noexcept {
    Serving* const serving = static_cast<Serving*>(static_cast<ServedRequest*>(context));
    if (const std::exception_ptr error = result.error())
      serving->fail(error);
    else
      serving->succeed(result);
    delete serving;
  }

 private:
  void succeed(outcome<Result>& result) noexcept try {
    if constexpr (std::is_void_v<Result>)
      answer.reply(nullptr);
    else
      answer.reply([&](cdr::Encoder& encoder) { encode_(encoder, result.value()); });
  } catch (...) {  // an encoding error was sent as the reply
  }

  [[no_unique_address]] Encode encode_;
};

}  // namespace detail

/// Begins the task that `begin` returns. When the task ends, on any thread, replies to the request:
/// with the results that `encode(encoder, result)` writes, or with the exception of the task or of
/// `begin`. The task has the stop token and the remaining time of the request (see
/// perigee::stop_token_of, perigee::remaining_time_of). Call this function in the upcall, after
/// `set_raises` and `end_of_arguments`.
template <typename Result, typename Begin, typename Encode>
void serve(orb::ServerRequest& request, Begin&& begin, Encode encode) {
  using Serving = detail::Serving<Result, Encode>;
  auto* const serving = new Serving(request, std::move(encode));
  detail::ServedRequest* const served = serving;
  Deadline until;
  // Limits the calls that `begin` sends. The task itself limits the calls that it awaits.
  std::optional<stub::InheritedTimeLimit> inherited;
  if (request.time_limited()) inherited.emplace(until = detail::awaited_until(request));
  task<Result> work;
  try {
    work = begin();
    if (!work) throw CORBA::UNKNOWN(0, CORBA::COMPLETED_MAYBE, "the servant has made no task");
  } catch (...) {
    outcome<Result> failed;
    failed.set_error(std::current_exception());
    return Serving::ended(served, failed);
  }
  start(std::move(work), Serving::stop_access, until, served, &Serving::ended);
}

/// The same for tasks without results.
template <typename Result, typename Begin>
  requires std::is_void_v<Result>
void serve(orb::ServerRequest& request, Begin&& begin) {
  serve<void>(request, std::forward<Begin>(begin), nullptr);
}

}  // namespace perigee::async
