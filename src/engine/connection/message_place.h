// Making a message in memory of the transport, so that the message is not copied.
#pragma once

#include "engine/connection/channel.h"
#include <perigee/base/export.h>
#include <perigee/cdr/buffer.h>

#include <utility>

namespace perigee::engine {

/// The memory in which the calling thread makes its next message. From the constructor on,
/// `message` writes into memory of the transport, if the transport has such memory and no other
/// message is being sent. Then messages of other threads wait until the message is sent, or until
/// it has outgrown the memory. A thread that waits before that calls `leave_all`.
class MessagePlace {
 public:
  /// `channel` and `message` must live until `end`. `wanted` only if `channel.encodes_in_place()`;
  /// else the message is made in the buffer's own memory.
  MessagePlace(Channel& channel, cdr::Buffer& message, bool wanted) noexcept
      : channel_(channel), message_(message), begun_(wanted) {
    if (wanted) [[unlikely]]
      begin();
  }
  ~MessagePlace() { end(); }
  MessagePlace(const MessagePlace&) = delete;
  MessagePlace& operator=(const MessagePlace&) = delete;

  /// A message that was not sent is lost. The buffer then writes into its own memory.
  void end() noexcept {
    if (std::exchange(begun_, false)) [[unlikely]]
      end_begun();
  }

  /// Called before the calling thread waits. Moves the messages that it is making to memory of
  /// their own, so that messages of other threads can be sent. A message stays if there is no
  /// memory for it.
  static void leave_all() noexcept {
    if (innermost_ != nullptr) [[unlikely]]
      leave_all_of_thread();
  }

 private:
  PERIGEE_INTERNAL_API void begin() noexcept;
  PERIGEE_INTERNAL_API void end_begun() noexcept;
  static void leave_all_of_thread() noexcept;

  static constinit thread_local MessagePlace* innermost_;  // of the calling thread

  Channel& channel_;
  cdr::Buffer& message_;
  bool begun_;
  MessagePlace* outer_ = nullptr;
};

}  // namespace perigee::engine
