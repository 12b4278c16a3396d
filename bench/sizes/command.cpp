// Adds the command `perigee bench sizes` with its options. The processes are those of the cubit
// experiment.
#include "harness/command.h"

#include "sizes.h"

#include <algorithm>
#include <memory>

namespace perigee::bench {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

struct SizesSettings {
  SizesOptions options{
      {1, 64, kib, 4 * kib, 16 * kib, 64 * kib, 256 * kib, mib, 4 * mib, 16 * mib, 64 * mib}, {}};
  Output output;
  std::string picture_file;
  bool quick = false;
};

void check_sizes_of_calls(const std::vector<std::size_t>& sizes) {
  const std::vector<std::size_t> known = all_sizes();
  for (const std::size_t size : sizes) {
    if (std::ranges::find(known, size) != known.end()) continue;
    std::string all;
    for (const std::size_t each : known) all += (all.empty() ? "" : ", ") + std::to_string(each);
    throw CLI::ValidationError("--size",
                               std::to_string(size) + ": the sizes in octets are: " + all);
  }
}

void run_sizes_command(const CLI::App& command, SizesSettings& settings) {
  SizesOptions& options = settings.options;
  if (settings.quick) {
    set_unless_given(command, "--rounds", options.calls.rounds, 2);
    set_unless_given(command, "--calls", options.calls.calls, 50);
    set_unless_given(command, "--size", options.sizes, {1, 4 * kib, mib});
  }
  check_sizes_of_calls(options.sizes);
  const SizesReport report = run_sizes(options);
  write_report(report, settings.output);
  if (!settings.picture_file.empty()) write_file(settings.picture_file, to_picture(report));
}

}  // namespace

void add_sizes_command(CLI::App& bench) {
  auto settings = std::make_shared<SizesSettings>();  // lives as long as the callback below
  SizesOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "sizes", "The time of a call against the size of its argument, over each transport");
  add_rounds_option(*command, options.calls.rounds, "Number of rounds; 30 or more for conclusions");
  command->add_option("--size", options.sizes, "Octets of the argument, like 64KiB")
      ->transform(CLI::AsSizeValue(false));
  command->add_option("--calls", options.calls.calls, "Calls per size, system and round")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command
      ->add_option("--volume", options.calls.volume,
                   "Octets of the calls of 64 KiB and more per round, like 64MiB")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  command->add_flag("--split", options.calls.split, "Run server and client on two CPUs");
  command->add_flag("--quick", settings->quick,
                    "Few rounds of three sizes; other options take precedence");
  add_output_options(*command, settings->output);
  add_file_option(*command, "--svg", settings->picture_file,
                  "Write a picture of the times to this file");
  command->callback([command, settings] { run_sizes_command(*command, *settings); });
}

}  // namespace perigee::bench
