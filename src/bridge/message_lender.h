// Shares the memory of a received message with the connection that sends its body on.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/pinned.h>
#include <perigee/messaging/message.h>

#include <cstddef>
#include <functional>

namespace perigee::bridge {

/// The message must outlive it. Small messages have no memory of their own: they are copied if they
/// have to wait. So are octets that are a small part of their message, because a share keeps the
/// memory of the whole message. Used by one thread at a time.
class MessageLender final : public cdr::Lender {
 public:
  explicit MessageLender(messaging::IncomingMessage& message) noexcept : message_(message) {}

  /// Whether to share the memory for these octets: they are in it, and it is not much larger.
  [[nodiscard]] bool lends(OctetSpan part) const noexcept {
    const OctetSpan all = octets();
    return !all.empty() && std::less_equal<>()(all.data(), part.data()) &&
           std::less_equal<>()(part.data() + part.size(), all.data() + all.size()) &&
           message_.storage.memory(message_.octets.size()) / excess_factor <= part.size();
  }

  [[nodiscard]] OctetSpan octets() const noexcept override {
    return {message_.storage.data(), message_.storage.capacity()};
  }
  /// The memory is not charged: the limits of the queue bound it, since it is at most
  /// `excess_factor` times as large as the octets that wait.
  [[nodiscard]] counted_ptr<cdr::PinnedMemory> share() override {
    return message_.storage.share(cdr::PinCharge(nullptr), message_.octets.size());
  }

 private:
  static constexpr std::size_t excess_factor = 4;

  messaging::IncomingMessage& message_;
};

}  // namespace perigee::bridge
