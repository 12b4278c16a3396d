// The greatest of the values that several threads report.
#pragma once

#include <atomic>

namespace perigee::test {

/// Sets `maximum` to `value`, unless it is greater already. Any thread.
template <typename T>
void raise_to(std::atomic<T>& maximum, T value) noexcept {
  T before = maximum.load();
  while (before < value && !maximum.compare_exchange_weak(before, value)) {
  }
}

}  // namespace perigee::test
