// Replaces malloc and its relatives by functions that count and then call glibc's functions.
#include "counting_allocator.h"

#include <atomic>
#include <cstddef>

namespace {
std::atomic<std::uint64_t> count{0};
}

namespace budget {
std::uint64_t allocations() noexcept { return count.load(std::memory_order_relaxed); }
}  // namespace budget

extern "C" {
// glibc's names for its own implementation.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(number, size);
}
void* realloc(void* memory, std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
}
