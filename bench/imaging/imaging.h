// `perigee bench imaging`: measures how fast a client fetches images from a store and uploads them:
// by calls, by calls with borrowed sequences, and by streams. The client finds the store through a
// locator, whose reference is bound in a naming service.
#pragma once

#include "harness/statistics.h"
#include "streams.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct ImagingOptions {
  std::size_t rounds = 6;
  std::size_t volume = 64u << 20;  ///< about the octets that a cell transfers in a round
  /// In octets.
  std::vector<std::size_t> sizes{64u << 10, 256u << 10, 1u << 20,  4u << 20,
                                 16u << 20, 64u << 20,  256u << 20};
  bool split = false;          ///< one CPU for each side
  std::string naming_service;  ///< "host:port"; empty: the experiment starts one
};

/// The names of the systems in the order of the report. The first is the floor.
const std::vector<std::string>& imaging_systems();
inline constexpr Direction all_directions[] = {Direction::fetch, Direction::upload};
const char* to_string(Direction direction);

/// The transfers of images of one size by one system in one direction: a sample for each round.
struct ImagingCell {
  std::vector<double> samples_ns;      ///< the time of one image
  std::vector<double> samples_cpu_ns;  ///< user and system time of both sides for one image
  std::vector<double> samples_faults;  ///< page faults of both sides for one image
  Estimate ratio;                      ///< of times, to the floor in the same round
  Estimate cpu_ratio;
};

/// The way in which clients have found the locator, and the time of finding the store.
struct Locating {
  std::string by;      ///< "naming service" or "file"
  std::string reason;  ///< why there was no naming service; empty: there was one
  std::vector<double> samples_us;
};

struct ImagingReport {
  ImagingOptions options;
  Locating locating;
  std::map<Direction, std::map<std::size_t, std::map<std::string, ImagingCell>>> cells;
};

/// Throws std::runtime_error if an octet is lost or wrong.
ImagingReport run_imaging(const ImagingOptions& options);
std::string to_table(const ImagingReport& report);
std::string to_json(const ImagingReport& report);
std::string to_html(const ImagingReport& report);

/// Adds the command of the experiment, and its roles, to `perigee bench`.
void add_imaging_command(CLI::App& bench);

}  // namespace perigee::bench
