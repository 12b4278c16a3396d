// The part of `perigee bench events` that measures durable channels: pushes that return when the
// event is in a SQLite file or in NATS JetStream.
#pragma once

#include "durable_pass.h"
#include "harness/page.h"
#include "harness/statistics.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace perigee::bench {

struct DurableOptions {
  std::size_t events = 20'000;  ///< of each measurement with several pushes at once; 0: none
  std::string peers_program;    ///< durable_peers
  std::string nats_server;      ///< the program; empty: not installed
};

struct DurableSample {
  DurablePass channel;
  DurablePass floor;  ///< a C program
};

struct DurablePoint {
  enum class Store : unsigned char { sqlite, nats };
  Store store = Store::sqlite;
  std::size_t at_once = 1;  ///< pushes in progress
  std::size_t events = 0;
  std::vector<DurableSample> samples = {};  ///< one for each round
};

/// The points without samples.
std::vector<DurablePoint> durable_points(const DurableOptions& options);
/// Adds a sample to each point. Channel and floor take turns.
void measure_durable(const DurableOptions& options, std::size_t round,
                     std::vector<DurablePoint>& points);

std::string durable_table(const std::vector<DurablePoint>& points);
nlohmann::json durable_json(const std::vector<DurablePoint>& points);
void add_durable(Page& page, const std::vector<DurablePoint>& points);

}  // namespace perigee::bench
