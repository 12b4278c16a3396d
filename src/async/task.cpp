// What tasks do once in their life needs no place in every user's code.
#include <perigee/async/task.h>

namespace perigee::async::detail {

void PromiseBase::begin_apart(std::coroutine_handle<> frame, std::stop_token stop, Ended ended,
                              void* context) noexcept {
  own_stop_ = std::move(stop);
  begin(frame, own_stop_, ended, context);
}

}  // namespace perigee::async::detail
