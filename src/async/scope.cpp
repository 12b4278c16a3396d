// Scopes count the ends of their tasks. An end is counted after the task's frame is destroyed.
#include <perigee/async/scope.h>
#include <perigee/base/log.h>

namespace perigee {

scope::~scope() {
  if (!running_.has_left()) return;
  log::write(log::Level::error, "async", "a scope ends while tasks run in it: join it first");
  std::terminate();
}

void scope::start(task<> work) {
  async::detail::OwnedFrame<void> frame = async::detail::TaskAccess::take(std::move(work));
  running_.add(1);
  const auto handle = frame.release();
  handle.promise().set_awaited_until(awaited_until_);
  handle.promise().begin(handle, stop_.token(), &ended, this);
}

void scope::ended(async::detail::PromiseBase& promise, void* self) noexcept {
  scope& in = *static_cast<scope*>(self);
  auto& ending = static_cast<async::detail::Promise<void>&>(promise);
  std::exception_ptr error = ending.result().error();
  // The frame is destroyed first: its parameters may refer to objects of the joining task.
  ending.frame().destroy();
  if (error) in.failed(std::move(error));
  in.running_.count_down();
}

void scope::failed(std::exception_ptr error) noexcept {
  if (timed_out()) return;  // with_scope throws TIMEOUT
  if (has_failed_.exchange(true, std::memory_order_relaxed)) return;
  error_ = std::move(error);
  if (policy_ == on_error::cancel) stop_.request();
}

void scope::joined() {
  running_.reset();
  has_failed_.store(false, std::memory_order_relaxed);
  if (std::exception_ptr error = std::exchange(error_, nullptr)) {
    std::rethrow_exception(std::move(error));
  }
}

}  // namespace perigee
