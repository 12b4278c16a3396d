// The shared part of soak programs: their options, the check for leaks at the end, and main.
// Include it in exactly one source file of a program, after
// `#define DOCTEST_CONFIG_IMPLEMENT`: it defines main.
#pragma once

#include "faults/process_limits.h"
#include "soak/memory_curve.h"
#include <perigee/base/log.h>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace perigee::test {

/// The value of --seconds.
inline std::chrono::seconds run_time{3};
inline std::uint32_t seed = 1;
inline std::string strategy_name = "auto";  ///< --strategy; only soak_strategy uses it

/// Checks that open handles and threads are as many at the end as at construction, and that memory
/// did not grow after the warm-up. Turns logging off.
class Remains {
 public:
  Remains() { log::set_level(log::Level::off); }

  MemoryCurve memory;

  /// Call it after all ORBs and threads of the test have ended.
  void check() const {
    memory.print();
    CHECK(memory.flat());
    CHECK(open_handles() == handles_);
    CHECK(thread_count() == threads_);
  }

 private:
  const std::size_t handles_ = open_handles();
  const std::size_t threads_ = thread_count();
};

}  // namespace perigee::test

int main(int argc, char** argv) {
  for (int index = 1; index + 1 < argc; index += 2) {
    const std::string word = argv[index];
    if (word == "--seconds")
      perigee::test::run_time = std::chrono::seconds(std::stol(argv[index + 1]));
    if (word == "--seed")
      perigee::test::seed = static_cast<std::uint32_t>(std::stoul(argv[index + 1]));
    if (word == "--strategy") perigee::test::strategy_name = argv[index + 1];
  }
  return doctest::Context().run();
}
