// as_task: makes a task of any awaitable, for when_all, when_any and scopes.
#pragma once

#include <perigee/async/task.h>

#include <utility>

namespace perigee {

namespace async::detail {

template <typename Awaitable>
decltype(auto) awaiter_of(Awaitable&& awaitable) {
  if constexpr (requires { std::forward<Awaitable>(awaitable).operator co_await(); }) {
    return std::forward<Awaitable>(awaitable).operator co_await();
  } else if constexpr (requires { operator co_await(std::forward<Awaitable>(awaitable)); }) {
    return operator co_await(std::forward<Awaitable>(awaitable));
  } else {
    return std::forward<Awaitable>(awaitable);
  }
}
template <typename Awaitable>
using Awaited = decltype(awaiter_of(std::declval<Awaitable>()).await_resume());

}  // namespace async::detail

/// A task that keeps `awaitable`, awaits it and gives its result. The task needs one more coroutine
/// frame. It awaits `awaitable` when the task itself begins. A `call` was started when it was made,
/// so it runs even before the task begins.
template <typename Awaitable>
task<async::detail::Awaited<Awaitable>> as_task(Awaitable awaitable) {
  co_return co_await std::move(awaitable);
}

}  // namespace perigee
