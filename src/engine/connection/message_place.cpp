// The places of a thread. They nest, because a call may be made while another message is encoded.
#include "engine/connection/message_place.h"

namespace perigee::engine {

constinit thread_local MessagePlace* MessagePlace::innermost_ = nullptr;

void MessagePlace::begin() noexcept {
  channel_.begin_in_place(message_);
  outer_ = std::exchange(innermost_, this);
}

void MessagePlace::end_begun() noexcept {
  innermost_ = outer_;
  channel_.end_in_place(message_);
}

void MessagePlace::leave_all_of_thread() noexcept {
  for (MessagePlace* place = innermost_; place != nullptr; place = place->outer_)
    (void)place->channel_.move_out_of_place(place->message_);
}

}  // namespace perigee::engine
