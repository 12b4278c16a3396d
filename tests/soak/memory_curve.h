// Memory use while a soak runs. Only one source of a program may include this header: the header
// sets the sanitizer's options.
#pragma once

#include "base/sanitizer.h"
#include "faults/process_limits.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <thread>

#ifdef PERIGEE_ADDRESS_SANITIZER
// Freed memory waits in the quarantine, which must be full before memory is measured.
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=8"; }
#endif

namespace perigee::test {

/// Memory in use after a warm-up, at the end, and at most: the heap, and the memory of the whole
/// process. Under a sanitizer, `flat` compares only the heap, because the memory of the process
/// also contains the records of the sanitizer.
class MemoryCurve {
 public:
  void sample_until(std::chrono::steady_clock::time_point end) {
    std::this_thread::sleep_until(std::chrono::steady_clock::now() +
                                  (end - std::chrono::steady_clock::now()) / 3);
    warm_ = take();
    while (std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_until(
          std::min(end, std::chrono::steady_clock::now() + std::chrono::seconds(1)));
      last_ = take();
      peak_ = {std::max(peak_.heap, last_.heap), std::max(peak_.process, last_.process)};
    }
  }
  [[nodiscard]] bool flat() const {
    const bool heap_flat = last_.heap <= warm_.heap + heap_grown_max;
    return heap_flat && (memory_is_watched() || last_.process <= warm_.process + grown_max);
  }
  void print() const {
    print("after a third of the time", warm_);
    print("at most", peak_);
    print("in the end", last_);
  }

 private:
  static constexpr std::size_t heap_grown_max = 16u << 20;  // requests in progress vary
  static constexpr std::size_t grown_max = 32u << 20;

  struct Sample {
    std::size_t heap = 0;
    std::size_t process = 0;
  };
  static Sample take() { return {heap_in_use(), memory_in_use()}; }
  static void print(const char* when, const Sample& sample) {
    std::printf("memory %s: heap %zu KiB, process %zu MiB\n", when, sample.heap >> 10,
                sample.process >> 20);
  }

  Sample warm_;
  Sample peak_;
  Sample last_;
};

}  // namespace perigee::test
