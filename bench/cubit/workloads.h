// The workloads of the cubit experiment, and the loop that every client runs: it is the same source
// for Perigee, omniORB and the raw floor, so that they differ in nothing but the call.
// Plain C++: it is also compiled beside other ORBs' headers.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace cubit {

/// One kind of call. `call` makes one and says whether the result was right.
struct Workload {
  std::string name;
  std::function<bool()> call;
};

/// Sizes of the two sequence workloads, in octets.
constexpr std::size_t small_sequence_size = 4;
constexpr std::size_t large_sequence_size = 4096;
/// And all sizes of octet sequences: of these two the cubit experiment's.
constexpr std::size_t echo_sizes[] = {small_sequence_size, 16,    64,   256, 1024,
                                      large_sequence_size, 16384, 65536};

inline std::uint8_t cube(std::uint8_t value) {
  return static_cast<std::uint8_t>(value * value * value);
}
inline std::int16_t cube(std::int16_t value) {
  const auto wide = static_cast<std::uint32_t>(value);
  return static_cast<std::int16_t>(wide * wide * wide);
}
inline std::int32_t cube(std::int32_t value) {
  const auto wide = static_cast<std::uint32_t>(value);
  return static_cast<std::int32_t>(wide * wide * wide);
}

inline double cube(double value) { return value * value * value; }

/// Makes `count` calls, each timed and checked, and prints "ok P50 MEAN" in nanoseconds.
inline void measure(const Workload& workload, std::size_t count, std::vector<double>& samples) {
  using Clock = std::chrono::steady_clock;
  samples.clear();
  const auto start = Clock::now();
  auto before = start;
  for (std::size_t index = 0; index < count; ++index) {
    if (!workload.call()) {
      std::cout << "error wrong result of " << workload.name << std::endl;
      return;
    }
    const auto after = Clock::now();
    samples.push_back(std::chrono::duration<double, std::nano>(after - before).count());
    before = after;
  }
  const double mean =
      std::chrono::duration<double, std::nano>(before - start).count() / static_cast<double>(count);
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  std::cout << "ok " << *middle << ' ' << mean << std::endl;
}

/// Makes `count` calls and nothing besides, not even a look at the clock, for those who count what
/// a call costs.
inline void repeat(const Workload& workload, std::size_t count) {
  bool right = true;
  for (std::size_t index = 0; index < count; ++index) right &= workload.call();
  std::cout << (right ? "ok" : "error wrong result of " + workload.name) << std::endl;
}

/// Answers lines "WORKLOAD COUNT [untimed]" on standard input until it ends.
inline int serve_commands(const std::vector<Workload>& workloads) {
  std::vector<double> samples;
  samples.reserve(1 << 16);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string name;
    std::size_t count = 0;
    std::string untimed;
    words >> name >> count >> untimed;
    const auto found =
        std::find_if(workloads.begin(), workloads.end(),
                     [&](const Workload& candidate) { return candidate.name == name; });
    if (found == workloads.end() || count == 0) {
      std::cout << "error no such workload: " << line << std::endl;
      continue;
    }
    if (untimed.empty())
      measure(*found, count, samples);
    else
      repeat(*found, count);
  }
  return 0;
}

}  // namespace cubit
