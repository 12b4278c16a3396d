// `perigee bench whitebox`: the time of a two-way call in each layer of client and server, by time
// probes. It gives tables 1 and 2, and figures 18 and 19, of the paper "Applying Patterns to
// Develop a Pluggable Protocols Framework for ORB Middleware" (Schmidt, O'Ryan, Othman; 2001).
#pragma once

#include "steps.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

/// All thread strategies of a server.
std::vector<std::string> whitebox_strategies();
/// The workloads that the experiment can measure.
const std::vector<std::string>& whitebox_workloads();

struct WhiteboxOptions {
  std::size_t rounds = 5;
  std::size_t calls = 1000;        ///< per protocol, size and round, as in the paper
  std::vector<std::size_t> sizes;  ///< of the parameter of figure 19, in octets
  /// Values of -ORBThreadStrategy. Figure 19 and the counts are for the first one.
  std::vector<std::string> strategies = whitebox_strategies();
  /// Workloads of the cubit experiment. The counts are for the first workload.
  std::vector<std::string> workloads{"void", "struct", "any"};
  bool counts = false;  ///< also count the instructions of each step, by callgrind
};

/// One protocol with one kind of call: means over the middle half of the calls of all rounds.
struct WhiteboxResult {
  std::string strategy;
  std::string protocol;
  std::string workload;
  std::size_t size = 0;  ///< of the sequence of figure 19, which is returned; 0: another workload
  CallSteps steps;
  double stamp_ns = 0;  ///< the cost of a stamp: a shorter step is below the clock's resolution
  CallSteps instructions = {};  ///< in user space, instead of times; empty: not counted
};

struct WhiteboxReport {
  WhiteboxOptions options;
  /// The first strategy: the first workload, and the sizes.
  std::vector<WhiteboxResult> results;
  std::vector<WhiteboxResult> further_results;  ///< the other strategies and workloads
};

/// Whether the time of an activity is shorter than the probe that measures it. Such a time is not
/// precise, and may be below 0.
bool is_below_resolution(double ns, const WhiteboxResult& result);

/// Throws std::runtime_error if the program with the probes is missing.
WhiteboxReport run_whitebox(const WhiteboxOptions& options);

/// The layers to which the steps of the tables belong.
enum class Layer : std::uint8_t { orb, marshalling, messaging, transport, io };
const char* to_string(Layer layer);

/// A row of table 1 or 2.
struct Activity {
  const char* name;
  Layer layer;
  std::vector<probe::Point> points;  ///< the points whose steps make up the activity
  std::optional<double> tao_us;      ///< the paper's figure
};
/// The layer of a server's activity. A strategy with an event loop waits for events before it
/// receives, so its row "ORB transport recv" is mostly waiting: it belongs to `Layer::io`.
Layer layer_on_server(const Activity& activity, const std::string& strategy);
const std::vector<Activity>& client_activities();
const std::vector<Activity>& server_activities();

/// The time of all points of an activity.
double time_of(const Activity& activity, const Steps& steps);
/// The time of a call in one layer, on both sides; at least 0. `Layer::io` is the rest of the
/// client's time: the system, other processes, and waiting.
double time_of(Layer layer, const WhiteboxResult& result);
std::string to_table(const WhiteboxReport& report);
std::string to_json(const WhiteboxReport& report);
std::string to_html(const WhiteboxReport& report);

/// Adds the command of the experiment to `perigee bench`.
void add_whitebox_command(CLI::App& bench);

}  // namespace perigee::bench
