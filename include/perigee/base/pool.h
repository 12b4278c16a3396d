// A pool for memory that is allocated and released often (coroutine frames, handlers, requests in
// progress). It has free lists by size. In the steady state no call allocates from the system or
// takes a lock. This header includes little, since many headers include it.
#pragma once

#include <perigee/base/export.h>

#include <cstddef>
#include <new>

namespace perigee::pool {

/// Larger pieces of memory come from operator new. In octets.
inline constexpr std::size_t pooled_size_max = 4096;
/// The most memory that a thread keeps for itself for each size. In octets.
inline constexpr std::size_t thread_kept_max = std::size_t{32} * 1024;
/// The most memory that is kept for all threads for each size. The rest is given back to the
/// system's allocator. In octets.
inline constexpr std::size_t shared_kept_max = std::size_t{16} * 1024 * 1024;

/// Memory for `size` octets, with the alignment of operator new. Any thread. Throws bad_alloc. In a
/// build with the address sanitizer every call uses operator new, so that the sanitizer finds uses
/// after the release.
[[nodiscard]] PERIGEE_API void* allocate(std::size_t size);
/// Takes back memory that `allocate(size)` has given to any thread. Not null.
PERIGEE_API void release(void* memory, std::size_t size) noexcept;

}  // namespace perigee::pool

namespace perigee {

/// A standard allocator over the pool. Stateless.
template <typename T>
class pool_allocator {
 public:
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  using value_type = T;

  pool_allocator() noexcept = default;
  template <typename U>
  pool_allocator(const pool_allocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(pool::allocate(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    pool::release(memory, count * sizeof(T));
  }

  template <typename U>
  friend bool operator==(const pool_allocator&, const pool_allocator<U>&) noexcept {
    return true;
  }
};

}  // namespace perigee
