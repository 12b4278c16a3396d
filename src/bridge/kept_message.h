// A copy of a request that may have to be sent later, or once more.
#pragma once

#include <perigee/base/pool.h>
#include <perigee/messaging/message.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace perigee::bridge {

/// Small messages are copied to pooled memory, so that the steady state does not allocate. Used by
/// one thread at a time.
class KeptMessage final {
 public:
  KeptMessage() noexcept = default;
  ~KeptMessage() { reset(); }
  KeptMessage(const KeptMessage&) = delete;
  KeptMessage& operator=(const KeptMessage&) = delete;

  explicit operator bool() const noexcept { return !message_.octets.empty(); }
  [[nodiscard]] messaging::IncomingMessage& message() noexcept { return message_; }

  /// Keeps the message, which may be empty afterwards. Does nothing if there is a message already.
  /// May throw bad_alloc: then there is none.
  void keep(messaging::IncomingMessage& message) {
    if (*this) return;
    const bool is_pooled = !message.storage && message.octets.size() <= pool::pooled_size_max;
    if (is_pooled) {
      size_ = message.octets.size();
      memory_ = static_cast<std::byte*>(pool::allocate(size_));
      // std::ranges::copy of libstdc++ 12 copies octet by octet.
      std::copy(message.octets.begin(), message.octets.end(), memory_);
    } else {
      message.keep();
    }
    message_ = std::move(message);
    if (is_pooled) message_.octets = {memory_, size_};
  }
  void reset() noexcept {
    if (memory_ != nullptr) pool::release(std::exchange(memory_, nullptr), size_);
    message_ = {};
  }

 private:
  messaging::IncomingMessage message_;
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace perigee::bridge
