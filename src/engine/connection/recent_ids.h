// The last request ids of a client, so that a request that arrives twice is executed once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace perigee::engine {

/// Used by the reading thread. Datagrams may be doubled by the network, and overtake each other. An
/// id counts as new again after 256 other ids.
class RecentIds {
 public:
  static constexpr std::size_t window = 256;

  /// False if the id is among the last ones.
  [[nodiscard]] bool add(std::uint32_t id) noexcept {
    const auto end = ids_.begin() + static_cast<std::ptrdiff_t>(count_);
    if (std::find(ids_.begin(), end, id) != end) return false;
    ids_[next_] = id;
    next_ = (next_ + 1) % window;
    count_ = std::min(count_ + 1, window);
    return true;
  }

 private:
  std::array<std::uint32_t, window> ids_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace perigee::engine
