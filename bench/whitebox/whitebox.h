// `perigee bench whitebox`: where the time of a two-way call goes, by time probes in each layer of
// client and server. The paper's tables 1 and 2, and figures 18 and 19.
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

struct WhiteboxOptions {
  std::size_t rounds = 5;
  std::size_t calls = 1000;        ///< per protocol, size and round, as in the paper
  std::vector<std::size_t> sizes;  ///< of the parameter of figure 19, in octets
};

/// One protocol with one kind of call: means over the middle half of the calls of all rounds.
struct WhiteboxResult {
  std::string protocol;
  std::size_t size = 0;  ///< of the parameter, which comes back; 0: none
  CallSteps steps;
};

struct WhiteboxReport {
  WhiteboxOptions options;
  std::vector<WhiteboxResult> results;
};

/// Throws std::runtime_error if the program with the probes is not there.
WhiteboxReport run_whitebox(const WhiteboxOptions& options);

/// What the steps of the tables belong to.
enum class Layer : std::uint8_t { orb, marshalling, messaging, transport, io };
const char* to_string(Layer layer);

/// A row of table 1 or 2.
struct Activity {
  const char* name;
  Layer layer;
  std::vector<probe::Point> points;  ///< whose steps it consists of
  std::optional<double> tao_us;      ///< the paper's figure
};
const std::vector<Activity>& client_activities();
const std::vector<Activity>& server_activities();

/// Of all points of an activity.
double time_of(const Activity& activity, const Steps& steps);
/// What a call takes on both sides in one layer. `Layer::io` is what is left of the client's whole
/// time: the system, whatever runs beside, and waiting.
double time_of(Layer layer, const WhiteboxResult& result);
std::string to_table(const WhiteboxReport& report);
std::string to_json(const WhiteboxReport& report);
std::string to_html(const WhiteboxReport& report);

/// Adds the command of the experiment to `perigee bench`.
void add_whitebox_command(CLI::App& bench);

}  // namespace perigee::bench
