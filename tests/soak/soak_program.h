// The shared part of soak programs: their options, the check for leaks at the end, and main. For
// one source of a program, which defines DOCTEST_CONFIG_IMPLEMENT first.
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
inline std::string strategy_name = "auto";  ///< of programs that soak one strategy

/// Handles, threads and memory of the process, measured at the beginning and at the end.
class Remains {
 public:
  Remains() { log::set_level(log::Level::off); }

  MemoryCurve memory;

  /// Call it when everything else has ended.
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
