// Reading a word again and again for a short time, before a thread sleeps. Private to
// transport/shared_memory.
#pragma once

#include <algorithm>
#include <cstdint>

namespace perigee::transport::shared_memory {

/// Chooses how long a thread spins. A spin that succeeds makes the next ones longer, and a spin in
/// vain makes them shorter. One thread at a time.
class Spin {
 public:
  /// Does not spin at all if this process has one CPU: the peer could not run meanwhile.
  explicit Spin(std::uint32_t cpus) noexcept : turns_max_(cpus > 1 ? turns_limit : 0) {}

  /// Reads until `done()`, or until the time is over. Returns whether `done()` was true.
  template <typename Done>
  bool until(const Done& done) noexcept {
    for (std::uint32_t turn = 0; turn < turns_; ++turn) {
      if (done()) {
        turns_ = std::min(turns_max_, turns_ + turns_ / 8 + 1);
        return true;
      }
      pause();
    }
    turns_ = std::max(std::min(turns_min, turns_max_), turns_ / 2);
    return false;
  }
  [[nodiscard]] bool spins() const noexcept { return turns_max_ != 0; }

 private:
  /// A turn takes 10 to 50 ns.
  static constexpr std::uint32_t turns_limit = 1000;
  static constexpr std::uint32_t turns_min = 20;

  static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    asm volatile("yield");
#endif
  }

  const std::uint32_t turns_max_;
  std::uint32_t turns_ = turns_max_;
};

}  // namespace perigee::transport::shared_memory
