// The workloads of the cubit experiment, and the loop of every client. Perigee, omniORB and the raw
// floor use the same source, so that only the calls differ.
// This header uses plain C++, because programs of other ORBs also include it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace cubit {

/// One kind of call. `call` makes a call and returns whether the result was right.
struct Workload {
  std::string name;
  std::function<bool()> call;
};

/// Sizes of the two sequence workloads, in octets.
constexpr std::size_t small_sequence_size = 4;
constexpr std::size_t large_sequence_size = 4096;
/// The number of structs in the workload "structs4096", whose data are about as large as the large
/// sequence. A struct takes 8 octets in CDR: an octet, padding, a long and a short. The first
/// struct has 2 octets more of padding.
constexpr std::size_t struct_count = 511;
constexpr std::size_t structs_size = 8 * struct_count + 2;
/// All sizes of octet sequences. The cubit experiment uses only the two sizes above.
constexpr std::size_t echo_sizes[] = {small_sequence_size, 16,    64,   256, 1024,
                                      large_sequence_size, 16384, 65536};
/// Sizes of large calls. Each is measured only if the options name it.
constexpr std::size_t large_sizes[] = {64u << 10, 256u << 10, 1u << 20,  4u << 20,
                                       16u << 20, 64u << 20,  256u << 20};
/// Smaller sizes of sequences that are only sent. Each is measured only if the options name it.
constexpr std::size_t small_borrowed_sizes[] = {1, 64, 1024, 4096, 16384};
/// "octets65536": a sequence of octets that comes back. "borrowed65536": a sequence that is sent
/// from the caller's memory; the server reads it in the receive buffer and returns its size.
inline std::string echo_name(std::size_t size) { return "octets" + std::to_string(size); }
inline std::string borrowed_name(std::size_t size) { return "borrowed" + std::to_string(size); }

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

/// Makes `count` calls, each timed and checked. False after a wrong result.
inline bool time_calls(const Workload& workload, std::size_t count, std::vector<double>& samples) {
  using Clock = std::chrono::steady_clock;
  samples.clear();
  samples.reserve(count);
  auto before = Clock::now();
  for (std::size_t index = 0; index < count; ++index) {
    if (!workload.call()) return false;
    const auto after = Clock::now();
    samples.push_back(std::chrono::duration<double, std::nano>(after - before).count());
    before = after;
  }
  return true;
}

/// Prints "ok P50 MEAN", in nanoseconds.
inline void print_summary(std::vector<double>& samples) {
  const double mean =
      std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  std::cout << "ok " << *middle << ' ' << mean << std::endl;
}

/// Prints "ok" and all times, in whole nanoseconds.
inline void print_all(const std::vector<double>& samples) {
  std::cout << "ok";
  for (const double sample : samples) std::cout << ' ' << static_cast<std::int64_t>(sample);
  std::cout << std::endl;
}

/// Makes `count` calls and nothing else, without reading the clock: for tools that count the cost
/// of a call.
inline void repeat(const Workload& workload, std::size_t count) {
  bool right = true;
  for (std::size_t index = 0; index < count; ++index) right &= workload.call();
  std::cout << (right ? "ok" : "error wrong result of " + workload.name) << std::endl;
}

/// Answers lines "WORKLOAD COUNT [untimed|times]" on standard input until it ends.
inline int serve_commands(const std::vector<Workload>& workloads) {
  std::vector<double> samples;
  samples.reserve(1 << 16);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string name;
    std::size_t count = 0;
    std::string mode;
    words >> name >> count >> mode;
    const auto found =
        std::find_if(workloads.begin(), workloads.end(),
                     [&](const Workload& candidate) { return candidate.name == name; });
    if (found == workloads.end() || count == 0) {
      std::cout << "error no such workload: " << line << std::endl;
      continue;
    }
    if (mode == "untimed")
      repeat(*found, count);
    else if (!time_calls(*found, count, samples))
      std::cout << "error wrong result of " << name << std::endl;
    else if (mode == "times")
      print_all(samples);
    else
      print_summary(samples);
  }
  return 0;
}

}  // namespace cubit
