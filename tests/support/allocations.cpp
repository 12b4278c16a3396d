// The counting operator new, which can fail. Aligned forms are not counted. The nothrow and array
// forms of a sanitizer do not call operator new, so this file replaces them, too. The operator new
// of the thread sanitizer cannot be replaced. Hooks of this sanitizer count instead, also for
// malloc.
#include "support/allocations.h"

#include <cstdlib>
#include <new>
#include <utility>

namespace {

thread_local perigee::test::Allocations so_far;

}  // namespace

#ifdef PERIGEE_THREAD_SANITIZER

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*,
                                                                           std::size_t),
                                                         void (*on_free)(const volatile void*));

namespace perigee::test {

Allocations allocations() noexcept {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void*, std::size_t size) {
        ++so_far.count;
        so_far.octets += size;
      },
      [](const volatile void*) { ++so_far.freed; });
  static_cast<void>(installed);
  return so_far;
}

}  // namespace perigee::test

#else

namespace {

thread_local std::size_t until_failure = 0;  // uses of operator new; zero: none fails
thread_local std::size_t failures_left = 0;
thread_local bool has_failed = false;

bool fails() noexcept {
  if (until_failure == 0 || --until_failure != 0) return false;
  has_failed = true;
  if (--failures_left != 0) until_failure = 1;
  return true;
}

}  // namespace

namespace perigee::test {

Allocations allocations() noexcept { return so_far; }

void fail_allocation(std::size_t number, std::size_t count) noexcept {
  until_failure = number;
  failures_left = count;
  has_failed = false;
}

bool stop_failing_allocation() noexcept {
  until_failure = 0;
  return has_failed;
}

}  // namespace perigee::test

void* operator new(std::size_t size) {
  if (fails()) throw std::bad_alloc();
  ++so_far.count;
  so_far.octets += size;
  void* place = std::malloc(size == 0 ? 1 : size);
  if (place == nullptr) throw std::bad_alloc();
  return place;
}

void* operator new[](std::size_t size) { return operator new(size); }

void* operator new(std::size_t size, const std::nothrow_t&) noexcept try {
  return operator new(size);
} catch (const std::bad_alloc&) {
  return nullptr;
}

void* operator new[](std::size_t size, const std::nothrow_t& nothrow) noexcept {
  return operator new(size, nothrow);
}

void operator delete(void* place) noexcept {
  if (place != nullptr) ++so_far.freed;
  std::free(place);
}

void operator delete(void* place, std::size_t) noexcept { operator delete(place); }
void operator delete[](void* place) noexcept { operator delete(place); }
void operator delete[](void* place, std::size_t) noexcept { operator delete(place); }

#endif
