// `perigee bench events`: an event channel, compared with plain calls of the same objects by the
// same kind of server.
#pragma once

#include "durable.h"
#include "harness/claims.h"

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::bench {

struct EventsOptions {
  std::size_t rounds = 6;
  std::size_t deliveries = 200'000;  ///< of each kind, point and round
  std::size_t volume = 256 << 20;    ///< octets; limits the deliveries of large events
  std::vector<std::size_t> consumers = {1, 100, 10'000};  ///< with events of `main_size` octets
  std::vector<std::size_t> sizes = {1, 64, 1'024, 16'384, 65'536};  ///< for `main_consumers`
  std::size_t stopped_consumers = 10'000;  ///< with one stopped consumer; 0: not measured
  std::size_t stopped_events = 20;         ///< in each of its passes
  DurableOptions durable;
  std::string peers_program;  ///< events_peers
};

/// The goal is for this number of consumers.
inline constexpr std::size_t main_consumers = 100;
inline constexpr std::size_t main_size = 64;
/// Calls in progress to one consumer, for a channel that makes several.
inline constexpr std::size_t several_at_once = 8;

/// Deliveries per second in one round.
struct EventsSample {
  double events = 0;   ///< by the channel
  double several = 0;  ///< by a channel with `several_at_once` calls in progress to a consumer
  double oneways = 0;  ///< plain calls without replies
  double null = 0;     ///< the same, measured a second time
  double calls = 0;    ///< plain calls with replies, one at a time for each object
};

struct EventsPoint {
  std::size_t consumers = 0;
  std::size_t size = 0;  ///< octets of the text in each event
  std::vector<EventsSample> samples;
};

/// The measurement of memory uses these: the limit of the stopped consumer's queue, and the octets
/// of all pushed events, which are many more than the queue may keep.
inline constexpr std::size_t limited_octets = 4 << 20;
inline constexpr std::size_t pushed_octets = 64 << 20;
/// A limited queue keeps the service below this growth, and a queue without limits does not.
inline constexpr double growth_max_mib = 8;

/// The results of one round: of passes in which all consumers run, and of passes in which one
/// consumer is stopped.
struct StoppedSample {
  double running_p99_ms = 0;  ///< from the push of an event to its delivery
  double stopped_p99_ms = 0;  ///< of the other consumers
  double growth_mib = 0;      ///< memory that a service takes with a stopped consumer
  double control_mib = 0;     ///< the same without limits of the queue
};

struct EventsReport {
  EventsOptions options;
  std::vector<EventsPoint> points;
  std::vector<StoppedSample> stopped;
  std::vector<DurablePoint> durable;
};

/// Runs the experiment. The kinds of calls take turns in each round.
EventsReport run_events(const EventsOptions& options);
/// The goals for which the report has measurements.
std::vector<Claim> claims_of(const EventsReport& report);

std::string to_table(const EventsReport& report);
std::string to_json(const EventsReport& report);
std::string to_html(const EventsReport& report);

/// Adds the command of the experiment to `perigee bench`.
void add_events_command(CLI::App& bench);

}  // namespace perigee::bench
