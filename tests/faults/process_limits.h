// The memory limit and the memory use of this process.
#pragma once

#include <cstddef>

namespace perigee::test {

/// Octets of memory in use now (VmRSS).
[[nodiscard]] std::size_t memory_in_use();
/// The largest memory in use (VmHWM) since `forget_memory_peak`.
[[nodiscard]] std::size_t memory_peak();
void forget_memory_peak();
/// Octets that the program has allocated with operator new and malloc.
[[nodiscard]] std::size_t heap_in_use();
/// Open file handles.
[[nodiscard]] std::size_t open_handles();
[[nodiscard]] std::size_t thread_count();

/// Whether a sanitizer takes memory for its own records.
[[nodiscard]] bool memory_is_watched() noexcept;

/// Measures the growth of the peak of memory in use, without the freed memory that a sanitizer
/// keeps. One object at a time.
class MemoryWatch {
 public:
  MemoryWatch() : before_(memory_in_use() + (memory_is_watched() ? kept_by_sanitizers : 0)) {
    forget_memory_peak();
  }
  [[nodiscard]] std::size_t grown() const {
    const std::size_t peak = memory_peak();
    return peak > before_ ? peak - before_ : 0;
  }

 private:
  static constexpr std::size_t kept_by_sanitizers = 512u << 20;

  std::size_t before_;
};

/// From now on the process gets at most `octets` more address space, so that allocations of claimed
/// lengths fail. Does nothing under sanitizers, which need the whole address space.
void limit_address_space(std::size_t octets);

}  // namespace perigee::test
