// The service contexts of the request, for servants that are coroutines.
#pragma once

#include <perigee/async/serve.h>
#include <perigee/async/task.h>
#include <perigee/orb/iop_types.h>
#include <perigee/poa/request_contexts.h>

#include <concepts>
#include <coroutine>
#include <optional>

namespace perigee {

namespace async::detail {

class ThisRequestContext {
 public:
  explicit ThisRequestContext(IOP::ServiceId id) noexcept : id_(id) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> task) noexcept {
    if constexpr (std::derived_from<Promise, PromiseBase>)
      served_ = task.promise().served_request();
    return false;
  }
  [[nodiscard]] std::optional<IOP::ServiceContext> await_resume() const {
    if (served_ == nullptr) return std::nullopt;
    return request_service_context_of(served_->answer, id_);
  }

 private:
  IOP::ServiceId id_;
  const ServedRequest* served_ = nullptr;
};

}  // namespace async::detail

/// `const auto tenant = co_await perigee::request_service_context_of_this_task(id);`: a service
/// context of the request that this task serves, as a std::optional<IOP::ServiceContext>. The task
/// is the coroutine servant, or a task that the servant awaits, on any thread. Empty if the request
/// has no such context. Also empty in tasks of a `scope`, and for the contexts of the ORB itself
/// (see perigee::request_service_context_of). The expression does not suspend the task. Throws
/// std::bad_alloc.
[[nodiscard]] inline async::detail::ThisRequestContext request_service_context_of_this_task(
    IOP::ServiceId id) noexcept {
  return async::detail::ThisRequestContext(id);
}

}  // namespace perigee
