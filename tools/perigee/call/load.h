// `perigee call --repeat`: the same call many times, and its latencies.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace perigee::tool {

/// The latencies and failures of the calls.
struct LoadReport {
  double seconds = 0;                             ///< from the first call to the last reply
  std::vector<std::uint64_t> latencies_ns;        ///< of the calls that succeeded, sorted
  std::map<std::string, std::uint64_t> failures;  ///< number of calls by repository id
};

/// Makes `calls` calls, from `threads` threads. `call` makes one call, and returns the repository
/// id of its exception; empty: there was none. `call` must be safe on several threads at once.
[[nodiscard]] LoadReport run_load(std::uint64_t calls, unsigned threads,
                                  const std::function<std::string()>& call);

[[nodiscard]] nlohmann::ordered_json to_json(const LoadReport& report);

}  // namespace perigee::tool
