// What this process may take of memory, and takes.
#pragma once

#include <cstddef>

namespace perigee::test {

/// Octets of memory in use now (VmRSS).
[[nodiscard]] std::size_t memory_in_use();
/// Open file handles.
[[nodiscard]] std::size_t open_handles();
[[nodiscard]] std::size_t thread_count();

/// Whether a sanitizer takes memory of its own, for what it remembers.
[[nodiscard]] bool memory_is_watched() noexcept;

/// How much memory is in use beyond what was at first, and what a sanitizer keeps of what is freed.
class MemoryWatch {
 public:
  MemoryWatch() : before_(memory_in_use() + (memory_is_watched() ? kept_by_sanitizers : 0)) {}
  [[nodiscard]] std::size_t grown() const {
    const std::size_t now = memory_in_use();
    return now > before_ ? now - before_ : 0;
  }

 private:
  static constexpr std::size_t kept_by_sanitizers = 512u << 20;

  std::size_t before_;
};

/// From now on the process gets no more address space than `octets` beyond what it has: what takes
/// memory by a claimed length fails. Does nothing under sanitizers, which need all of it.
void limit_address_space(std::size_t octets);

}  // namespace perigee::test
