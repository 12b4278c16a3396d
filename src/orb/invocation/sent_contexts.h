// The service contexts of one request: put together on the stack.
#pragma once

#include <perigee/iop/components.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace perigee::orb {

class SentContexts {
 public:
  SentContexts() noexcept = default;
  SentContexts(const SentContexts&) = delete;
  SentContexts& operator=(const SentContexts&) = delete;

  /// `announced` (at most two) and the remaining time of the caller. Valid as long as this object.
  [[nodiscard]] std::span<const iop::ServiceContext> with_time(
      std::span<const iop::ServiceContext> announced, std::chrono::microseconds left) noexcept {
    iop::encode_remaining_time(octets_, static_cast<std::uint64_t>(left.count()));
    return with(announced, {iop::context_remaining_time, octets_});
  }
  /// `others`, as many as fit, and `last`.
  [[nodiscard]] std::span<const iop::ServiceContext> with(
      std::span<const iop::ServiceContext> others, const iop::ServiceContext& last) noexcept {
    std::size_t count = 0;
    for (const iop::ServiceContext& other : others)
      if (count + 1 < contexts_.size()) contexts_[count++] = other;
    contexts_[count++] = last;
    return {contexts_.data(), count};
  }

 private:
  std::array<std::byte, iop::remaining_time_size> octets_;
  std::array<iop::ServiceContext, 3> contexts_;
};

}  // namespace perigee::orb
