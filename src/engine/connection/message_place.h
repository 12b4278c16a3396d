// Making a message in memory of the transport, so that the message is not copied.
#pragma once

#include "engine/connection/channel.h"
#include <perigee/cdr/buffer.h>

#include <utility>

namespace perigee::engine {

/// Where the calling thread makes its next message. From the constructor on, `message` writes into
/// memory of the transport, if the transport has such memory and no other message is under way.
/// Then messages of other threads wait until the message is sent, or until it has outgrown the
/// memory. So the thread must not wait for another thread meanwhile.
class MessagePlace {
 public:
  /// `channel` and `message` must live until `end`. `wanted` only if `channel.encodes_in_place()`;
  /// else the message is made in the buffer's own memory.
  MessagePlace(Channel& channel, cdr::Buffer& message, bool wanted) noexcept
      : channel_(channel), message_(message), begun_(wanted) {
    if (wanted) [[unlikely]]
      channel.begin_in_place(message);
  }
  ~MessagePlace() { end(); }
  MessagePlace(const MessagePlace&) = delete;
  MessagePlace& operator=(const MessagePlace&) = delete;

  /// A message that was not sent is lost. The buffer then writes into its own memory.
  void end() noexcept {
    if (std::exchange(begun_, false)) [[unlikely]]
      channel_.end_in_place(message_);
  }

 private:
  Channel& channel_;
  cdr::Buffer& message_;
  bool begun_;
};

}  // namespace perigee::engine
