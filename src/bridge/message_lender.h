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
/// have to wait. Used by one thread at a time.
class MessageLender final : public cdr::Lender {
 public:
  explicit MessageLender(messaging::IncomingMessage& message) noexcept : message_(message) {}

  /// Whether the octets are in the memory of the message.
  [[nodiscard]] bool owns(OctetSpan part) const noexcept {
    const OctetSpan all = octets();
    return !all.empty() && std::less_equal<>()(all.data(), part.data()) &&
           std::less_equal<>()(part.data() + part.size(), all.data() + all.size());
  }

  [[nodiscard]] OctetSpan octets() const noexcept override {
    return {message_.storage.data(), message_.storage.capacity()};
  }
  /// The limits of the queue bound the memory, so it is not charged.
  [[nodiscard]] counted_ptr<cdr::PinnedMemory> share() override {
    return message_.storage.share(cdr::PinCharge(nullptr), message_.octets.size());
  }

 private:
  messaging::IncomingMessage& message_;
};

}  // namespace perigee::bridge
