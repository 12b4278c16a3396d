// Functions that a task calls once in its life. They need not be in a header.
#include <perigee/async/task.h>

#include <stdexcept>

namespace perigee::async::detail {

void PromiseBase::begin_apart(std::coroutine_handle<> frame, std::stop_token stop, Ended ended,
                              void* context) noexcept {
  own_stop_ = std::move(stop);
  begin(frame, own_stop_, ended, context);
}

void PromiseBase::begin_apart(std::coroutine_handle<> frame, const StopAccess& access, Ended ended,
                              void* context) noexcept {
  stop_ = nullptr;
  access_ = &access;
  begin_awaited(frame, ended, context);
}

void PromiseBase::find_stop_token() const {
  if (lender_ != nullptr) {
    stop_ = &lender_->lent_stop_token();
    return;
  }
  own_stop_ = access_->token(context_);
  stop_ = &own_stop_;
}

void PromiseBase::share_stop_token() const noexcept {
  const PromiseBase* first = this;
  while (first->lender_ != nullptr) first = first->lender_;
  if (first->access_ != nullptr) first->access_->share(first->context_);
}

void raise_empty_task() {
  throw std::invalid_argument("an empty task: await or start a task once, by std::move");
}

}  // namespace perigee::async::detail
