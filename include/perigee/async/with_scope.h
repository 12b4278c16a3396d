// with_scope: a scope that is joined whatever happens to the one that starts tasks in it.
#pragma once

#include <perigee/async/scope.h>
#include <perigee/async/task.h>

#include <concepts>
#include <stop_token>
#include <type_traits>

namespace perigee {

/// `co_await with_scope([&](scope& tasks) -> task<> { … })`: runs the body as the first task of a
/// scope whose stop token follows the awaiting task's, and waits for it and for all that it
/// started; then throws what the first one that failed had thrown. That may be the body itself: by
/// then nothing runs any longer.
///
/// With `on_error::cancel` a failure, of the body too, asks all the others to stop. The body is
/// kept until all have ended, so it may be a lambda that captures. It does not join the scope.
/// Allocates once, as every scope; two frames more.
template <typename Body>
  requires std::same_as<std::invoke_result_t<Body&, scope&>, task<>>
task<> with_scope(Body body, scope::on_error policy = scope::on_error::cancel) {
  const std::stop_token stop = co_await stop_token_of_this_task();
  scope tasks(stop, policy);
  tasks.start(body(tasks));
  co_await tasks.join();
}

}  // namespace perigee
