// Adds the command `perigee bench middletier`: its options, and its roles (hidden commands that run
// the peers).
#include "harness/command.h"

#include "goals.h"
#include "middletier.h"

#include <memory>

namespace perigee::bench {
namespace {

struct MiddletierSettings {
  MiddletierOptions options;
  Output output;
  bool goals = false;
};

// If the user gives only one of --clients and --delay, the points of the other option are left out.
void run_middletier_command(const CLI::App& command, MiddletierSettings& settings) {
  MiddletierOptions& options = settings.options;
  if (settings.goals) {
    if (command.count("--model") == 0) options.models = goal_models();
    options.points = goal_points(options.models);
  }
  if (settings.goals || command.count("--delay") != 0)
    set_unless_given(command, "--clients", options.clients, {});
  if (settings.goals || command.count("--clients") != 0)
    set_unless_given(command, "--delay", options.delays, {});
  if (settings.goals || command.count("--clients") + command.count("--delay") != 0)
    set_unless_given(command, "--bursts", options.bursts, {});
  if (command.count("--bursts") != 0) {
    set_unless_given(command, "--clients", options.clients, {});
    set_unless_given(command, "--delay", options.delays, {});
  }
  write_report(run_middletier(options), settings.output);
}

int run_middletier_role(const std::vector<std::string>& words) {
  const std::string& role = words.front();
  if (role == "sink") return run_sink(std::stoul(words.at(1)));
  if (role == "middle")
    return run_middle(parse_model(words.at(1)), static_cast<std::uint16_t>(std::stoul(words.at(2))),
                      std::stoul(words.at(3)), std::stoul(words.at(4)));
  if (role == "source") return run_source(words.at(1), std::stoul(words.at(2)));
  return 1;
}

}  // namespace

void add_middletier_command(CLI::App& bench) {
  auto settings = std::make_shared<MiddletierSettings>();  // lives as long as the callback below
  MiddletierOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "middletier", "Models of concurrency, compared in a server that calls a slow server");
  add_rounds_option(*command, options.rounds, "Number of rounds; 6 or more for conclusions");
  command->add_option("--seconds", options.seconds, "Time of each measurement")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  command
      ->add_option(
          "--model", options.models,
          "Measure only these models: raw, TPC, raw-<loops>, or TPR-, AMH- or coroutine- followed "
          "by ST, <threads>, cores or cores<threads>")
      ->capture_default_str();
  command
      ->add_option(
          "--clients", options.clients,
          "Numbers of clients, with a delay of 40 ms; unless --delay is also given, the delays "
          "are not measured")
      ->check(CLI::Range(1, 18'000))
      ->capture_default_str();
  command
      ->add_option(
          "--delay", options.delays,
          "Delays of the slow server in ms, with 150 clients; unless --clients is also given, the "
          "numbers of clients are not measured")
      ->check(CLI::Range(0, 10'000))
      ->capture_default_str();
  command
      ->add_option(
          "--cpus", options.shared_cpus,
          "Numbers of CPUs that all processes share; by default the middle tier has one CPU, "
          "and the other processes have another")
      ->check(CLI::Range(1, 2));
  command
      ->add_option("--bursts", options.bursts,
                   "Numbers of clients that all send at once, with a delay of 40 ms; with this "
                   "option alone, only bursts are measured")
      ->check(CLI::Range(1, 18'000))
      ->capture_default_str();
  command
      ->add_option("--work", options.work,
                   "The middle tier's own work for each request, in steps of about a nanosecond")
      ->check(CLI::Range(0, 100'000'000))
      ->capture_default_str();
  command
      ->add_option("--threads-max", options.threads_max,
                   "The largest number of clients for the model TPC")
      ->check(CLI::Range(1, 18'000))
      ->capture_default_str();
  command->add_flag("--goals", settings->goals,
                    "Measure only the models with goals; other options take precedence");
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run_middletier_command(*command, *settings); });
  add_role_command(bench, "middletier", run_middletier_role);
}

}  // namespace perigee::bench
