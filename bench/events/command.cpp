// Adds the command `perigee bench events` with its options.
#include "harness/command.h"

#include "events.h"
#include "harness/companions.h"
#include "harness/process.h"

#include <exception>
#include <iostream>
#include <memory>
#include <string>

namespace perigee::bench {
namespace {

struct EventsSettings {
  EventsOptions options;
  Output output;
  bool quick = false;
  bool goals = false;
};

/// Empty if the server of NATS is not installed.
std::string find_nats_server() {
  try {
    return find_program("nats-server");
  } catch (const std::exception& error) {
    std::cerr << "perigee bench: " << error.what()
              << "; measuring without durable channels in NATS\n";
    return {};
  }
}

void run_events_command(const CLI::App& command, EventsSettings& settings) {
  EventsOptions& options = settings.options;
  if (settings.goals) {
    set_unless_given(command, "--rounds", options.rounds, 12);
    set_unless_given(command, "--consumers", options.consumers, {main_consumers});
    set_unless_given(command, "--durable", options.durable.events, 0);  // has no goal
  }
  if (settings.quick) {
    set_unless_given(command, "--rounds", options.rounds, 2);
    set_unless_given(command, "--deliveries", options.deliveries, 20'000);
    set_unless_given(command, "--consumers", options.consumers, {main_consumers});
    set_unless_given(command, "--size", options.sizes, {main_size});
    set_unless_given(command, "--stopped", options.stopped_consumers, 200);
    set_unless_given(command, "--durable", options.durable.events, 1'000);
  }
  options.peers_program = companion_program("events_peers");
  if (options.durable.events > 0) {
    options.durable.peers_program = companion_program("durable_peers");
    options.durable.nats_server = find_nats_server();
  }
  write_report(run_events(options), settings.output);
}

}  // namespace

void add_events_command(CLI::App& bench) {
  // Each consumer takes a place among the proxies of the service.
  constexpr std::size_t consumers_max = 19'000;
  constexpr std::size_t size_max = 8 << 20;
  auto settings = std::make_shared<EventsSettings>();  // lives as long as the callback below
  EventsOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "events", "An event channel, compared with plain calls of the same objects");
  add_rounds_option(*command, options.rounds, "Number of rounds; 6 or more for conclusions");
  command
      ->add_option("--deliveries", options.deliveries,
                   "Events times consumers, of each kind and round")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  command
      ->add_option("--volume", options.volume,
                   "Octets of the deliveries of each kind and round, like 64MiB")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  command
      ->add_option("--consumers", options.consumers,
                   "Numbers of consumers, for events of 64 octets")
      ->check(CLI::Range(std::size_t{1}, consumers_max))
      ->capture_default_str();
  command->add_option("--size", options.sizes, "Octets of an event, for 100 consumers; like 4KiB")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::size_t{1}, size_max))
      ->capture_default_str();
  command
      ->add_option("--stopped", options.stopped_consumers,
                   "Consumers of the measurement with one stopped consumer; 0 leaves it out")
      ->check(CLI::Range(std::size_t{0}, consumers_max))
      ->capture_default_str();
  command
      ->add_option("--durable", options.durable.events,
                   "Events of each measurement of durable channels; 0 leaves them out")
      ->check(CLI::Range(std::size_t{0}, std::size_t{100'000'000}))
      ->capture_default_str();
  command->add_flag("--quick", settings->quick,
                    "Few rounds and deliveries; other options take precedence");
  command->add_flag("--goals", settings->goals,
                    "Use enough rounds to compare the values with the goals");
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run_events_command(*command, *settings); });
}

}  // namespace perigee::bench
