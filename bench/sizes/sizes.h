// `perigee bench sizes`: the time of a two-way call against the size of its argument, over TCP,
// over UNIX-domain sockets and through shared memory. The calls are those of cubit.
#pragma once

#include "cubit/cubit.h"

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct SizesOptions {
  std::vector<std::size_t> sizes;  ///< octets of the argument, ascending; see all_sizes()
  CubitOptions calls;              ///< rounds, calls, volume and placement
};

struct SizesReport {
  SizesOptions options;
  CubitReport calls;  ///< by workload: one for each size
};

/// A way to make the calls: its name in the report, its system in cubit, and that system's floor.
struct SizesWay {
  std::string name;
  std::string system;
  std::string floor;
};
const std::vector<SizesWay>& sizes_ways();

/// The sizes that cubit can send, in octets.
std::vector<std::size_t> all_sizes();

SizesReport run_sizes(const SizesOptions& options);
std::string to_table(const SizesReport& report);
std::string to_json(const SizesReport& report);
std::string to_html(const SizesReport& report);
/// The chart of the times as an SVG file.
std::string to_picture(const SizesReport& report);

/// Adds the command of the experiment to `perigee bench`.
void add_sizes_command(CLI::App& bench);

}  // namespace perigee::bench
