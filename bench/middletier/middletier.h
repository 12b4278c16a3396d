// `perigee bench middletier`: the experiments of the paper "Design and Performance of Asynchronous
// Method Handling for CORBA" (Deshpande, Schmidt, O'Ryan, Brunsch; 2002). Clients call a middle
// tier, which calls a sink that replies after a delay. The experiment compares concurrency models
// of the middle tier.
#pragma once

#include "harness/statistics.h"
#include "roles.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

/// The conditions of one measurement of all models.
struct Point {
  std::size_t clients = 0;
  std::size_t delay_ms = 0;
  /// CPUs that all processes share. 0: the middle tier has one CPU, and source and sink have
  /// another.
  std::size_t shared_cpus = 0;
  /// All clients send at once, and again when all have their replies.
  bool bursts = false;
  /// Steps of the middle tier's own work for each request, about a nanosecond each.
  std::size_t work = 0;

  friend auto operator<=>(const Point&, const Point&) = default;
};

/// The point as text: "150 clients, 0 ms, all on one CPU".
std::string to_text(const Point& point);

/// A point, and the models that are measured there.
struct PointModels {
  Point point;
  std::vector<std::string> models;
};

struct MiddletierOptions {
  std::size_t rounds = 1;
  double seconds = 1;  ///< the window of each point
  std::vector<std::string> models = default_models();
  /// Client scalability: numbers of clients, with a delay of 40 ms. Empty: not measured.
  std::vector<std::size_t> clients{1, 50, 100, 150, 200, 250, 300, 400, 1'000, 5'000, 10'000};
  /// Latency scalability: delays of the sink in ms, with 150 clients. Empty: not measured.
  std::vector<std::size_t> delays{0, 10, 20, 40, 80, 160};
  /// Numbers of clients that send at once, with a delay of 40 ms. Empty: not measured.
  std::vector<std::size_t> bursts{150, 250};
  std::size_t work = 0;                  ///< `Point::work` of the points that these options select
  std::vector<PointModels> points = {};  ///< additional points, with their own models
  /// Numbers of CPUs that all processes share, 1 or 2. Each point is measured with each number.
  std::vector<std::size_t> shared_cpus{0};
  /// Models whose upcalls wait on a shared stack are not measured with more clients.
  std::size_t waiting_clients_max = 1'000;
  /// A thread per connection is not measured with more clients.
  std::size_t threads_max = 5'000;
};

inline constexpr std::size_t scalability_delay_ms = 40;
inline constexpr std::size_t scalability_clients = 150;

/// The results of one model at one point in one round.
struct MiddletierSample {
  SourceResult source;
  double rate = 0;           ///< replies a second
  double cpu_us = 0;         ///< user and system time of the middle tier for each reply
  double user_us = 0;        ///< the part of cpu_us that is user time
  double busy = 0;           ///< the middle tier's CPU time, divided by the window
  double others_busy = 0;    ///< the same for source and sink together
  double foreign_busy = 0;   ///< the same for all processes that are not part of the experiment
  double threads = 0;        ///< of the middle tier, in the window
  double switches = 0;       ///< of the middle tier's threads for each reply: context switches
  double client_octets = 0;  ///< own memory for each client, including the connection
};

/// The results of one model at one point.
struct MiddletierCell {
  std::vector<MiddletierSample> samples;  ///< by round
  std::string error;                      ///< why there are no samples, or no more
};

struct MiddletierReport {
  MiddletierOptions options;
  std::map<Point, std::map<std::string, MiddletierCell>> cells;  ///< by model
};

/// The axis along which the load grows.
enum class Load : std::uint8_t { clients, bursts, delay };

/// Two models that the paper compares: the first overtakes the second under load.
struct Crossover {
  std::string model;
  std::string base;
  Load load = Load::clients;
  std::string paper;  ///< the paper's finding
  /// The smallest number of clients, or delay, from which on the model is faster by 5 % or more. 0:
  /// none.
  std::size_t at = 0;
  std::size_t highest =
      0;             ///< the highest number of clients, or delay, at which both were measured
  double ratio = 0;  ///< of the rates there
  double base_of_ideal = 0;  ///< the rate of the base there, divided by the ideal rate; 0: no limit
  double base_busy = 0;      ///< the CPU time of the base there, divided by the window
};
/// The crossovers of the paper for which the report has measurements.
std::vector<Crossover> crossovers_of(const MiddletierReport& report);
/// One sentence: where the crossover appears, or why it does not.
std::string to_text(const Crossover& crossover);

/// The points that the options select, in the order of the report.
std::vector<PointModels> chosen_points(const MiddletierOptions& options);

/// Models take turns, in an order that rotates. Each model has its own processes.
MiddletierReport run_middletier(const MiddletierOptions& options);

std::string to_table(const MiddletierReport& report);
std::string to_json(const MiddletierReport& report);
std::string to_html(const MiddletierReport& report);

/// Adds the command of the experiment, and its roles, to `perigee bench`.
void add_middletier_command(CLI::App& bench);

}  // namespace perigee::bench
