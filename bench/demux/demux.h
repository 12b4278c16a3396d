// `perigee bench demux`: measures how fast a skeleton finds an operation by its name. Compares
// linear search, hash, perfect hash and binary search, with 1 to 1,000 operations in an interface.
#pragma once

#include "harness/statistics.h"
#include "orders.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct DemuxOptions {
  std::size_t rounds = 10;
  std::size_t calls = 50'000;                                       ///< per cell and round
  std::vector<std::size_t> operations{1, 10, 30, 100, 300, 1'000};  ///< members of demux_counts()
};

/// The interfaces of the measured programs, as numbers of operations.
const std::vector<std::size_t>& demux_counts();

/// The ways to find an operation: "direct" (a call through a table, without a search), and the
/// values of the option --demux of perigee-idl.
const std::vector<std::string>& demux_ways();

/// One way with one interface and one order of calls.
struct DemuxCell {
  std::vector<double> samples_ns;  ///< the mean time of a dispatch, for each round
  Estimate ratio;                  ///< to the perfect hash in the same round
};

/// The cells of an interface, by order and way.
using DemuxCells = std::map<Order, std::map<std::string, DemuxCell>>;

struct DemuxReport {
  DemuxOptions options;
  std::map<std::size_t, DemuxCells> cells;  ///< by number of operations
};

/// Throws std::runtime_error if a program is missing, or if a skeleton calls a wrong function.
DemuxReport run_demux(const DemuxOptions& options);
std::string to_table(const DemuxReport& report);
std::string to_json(const DemuxReport& report);
std::string to_html(const DemuxReport& report);

/// Adds the command of the experiment to `perigee bench`.
void add_demux_command(CLI::App& bench);

}  // namespace perigee::bench
