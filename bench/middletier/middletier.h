// `perigee bench middletier`: the experiments of the paper of 2002. Clients call a middle tier,
// which calls a sink that takes its time; the middle tier's concurrency models are compared.
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

/// What all models are measured with.
struct Point {
  std::size_t clients = 0;
  std::size_t delay_ms = 0;
  /// That all processes share. 0: the middle tier has one, and source and sink another one.
  std::size_t shared_cpus = 0;

  friend auto operator<=>(const Point&, const Point&) = default;
};

/// Like "150 clients, 0 ms, all on one CPU".
std::string to_text(const Point& point);

/// A point, and the models that are measured at it.
struct PointModels {
  Point point;
  std::vector<std::string> models;
};

struct MiddletierOptions {
  std::size_t rounds = 1;
  double seconds = 1;  ///< the window of each point
  std::vector<std::string> models = default_models();
  /// Client scalability: with a delay of 40 ms. Empty: not measured.
  std::vector<std::size_t> clients{1, 50, 100, 200, 300, 400, 1'000, 5'000, 10'000};
  /// Latency scalability, in ms: with 150 clients. Empty: not measured.
  std::vector<std::size_t> delays{0, 10, 20, 40, 80, 160};
  std::vector<PointModels> points = {};  ///< besides, with models of their own
  /// CPUs that all processes share, 1 or 2: each point is measured with each of these.
  std::vector<std::size_t> shared_cpus{0};
  /// Models whose threads wait are not asked to serve more clients.
  std::size_t waiting_clients_max = 1'000;
};

inline constexpr std::size_t scalability_delay_ms = 40;
inline constexpr std::size_t scalability_clients = 150;

/// One model at one point in one round. Times in microseconds but for the source's.
struct MiddletierSample {
  SourceResult source;
  double rate = 0;           ///< replies a second
  double cpu_us = 0;         ///< of the middle tier for each reply, user and system
  double user_us = 0;        ///< the user's part
  double busy = 0;           ///< the middle tier's CPU time, of the window
  double others_busy = 0;    ///< that of source and sink together
  double threads = 0;        ///< of the middle tier, in the window
  double client_octets = 0;  ///< memory of its own for each client, connection included
};

/// One model at one point.
struct MiddletierCell {
  std::vector<MiddletierSample> samples;  ///< by round
  std::string error;                      ///< why there are none, or no more
};

struct MiddletierReport {
  MiddletierOptions options;
  std::map<Point, std::map<std::string, MiddletierCell>> cells;  ///< by model
};

/// What the options choose, in the order of the report.
std::vector<PointModels> chosen_points(const MiddletierOptions& options);

/// Models take turns, in an order that rotates, each with processes of its own.
MiddletierReport run_middletier(const MiddletierOptions& options);

std::string to_table(const MiddletierReport& report);
std::string to_json(const MiddletierReport& report);
std::string to_html(const MiddletierReport& report);

/// Adds the command of the experiment, and its roles, to `perigee bench`.
void add_middletier_command(CLI::App& bench);

}  // namespace perigee::bench
