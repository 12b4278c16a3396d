// The service contexts of one request, if it says how long its caller waits: put together on the
// stack.
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

  /// `announced` (one or none) and what is left of the caller's time. Valid for as long as this.
  [[nodiscard]] std::span<const iop::ServiceContext> with_time(
      std::span<const iop::ServiceContext> announced, std::chrono::microseconds left) noexcept {
    iop::encode_remaining_time(octets_, static_cast<std::uint64_t>(left.count()));
    std::size_t count = 0;
    if (!announced.empty()) contexts_[count++] = announced.front();
    contexts_[count++] = {iop::context_remaining_time, octets_};
    return {contexts_.data(), count};
  }

 private:
  std::array<std::byte, iop::remaining_time_size> octets_;
  std::array<iop::ServiceContext, 2> contexts_;
};

}  // namespace perigee::orb
