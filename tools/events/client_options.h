// Options about the clients of perigee-events: access, limits of their requests, and times.
#pragma once

#include <perigee/services/events/options.h>

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perigee::tool {

/// Values that the command line has in other units or forms than events::Options.
struct ClientArguments {
  std::vector<std::string> may_supply;
  std::vector<std::string> may_consume;
  std::uint32_t block_time_ms = 30'000;
  std::uint32_t pull_wait_ms = 60'000;
  std::uint32_t pull_interval_ms = 100;
  std::uint32_t unconnected_s = 600;
  std::uint32_t idle_s = 86'400;
  std::uint32_t end_time_ms = 2'000;
};

/// Adds the options. Both structures live as long as `program` parses.
void add_client_options(CLI::App& program, ClientArguments& arguments, events::Options& options);
/// Converts the arguments. Throws UsageError if a rule is malformed.
void apply(const ClientArguments& arguments, events::Options& options);

}  // namespace perigee::tool
