// Adds the command `perigee bench imaging`: its options, and its roles (hidden commands that run
// the peers).
#include "harness/command.h"

#include "images.h"
#include "imaging.h"
#include "roles.h"

#include <memory>

namespace perigee::bench {
namespace {

struct ImagingSettings {
  ImagingOptions options;
  Output output;
  bool quick = false;
};

void run_imaging_command(const CLI::App& command, ImagingSettings& settings) {
  if (settings.quick) {
    set_unless_given(command, "--rounds", settings.options.rounds, 1);
    set_unless_given(command, "--size", settings.options.sizes, {64u << 10, 4u << 20, 64u << 20});
    set_unless_given(command, "--volume", settings.options.volume, 16u << 20);
  }
  write_report(run_imaging(settings.options), settings.output);
}

int run_imaging_role(const std::vector<std::string>& words) {
  const std::string& role = words.front();
  if (role == "server") return run_image_server(words.at(1));
  if (role == "client") return run_image_client(words.at(1), words.at(2));
  if (role == "raw-server") run_raw_image_server();
  if (role == "raw-client") return run_raw_image_client(words.at(1));
  return 1;
}

}  // namespace

void add_imaging_command(CLI::App& bench) {
  auto settings = std::make_shared<ImagingSettings>();  // lives as long as the callback below
  ImagingOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "imaging", "Images by calls, by calls with borrowed sequences, and by streams");
  add_rounds_option(*command, options.rounds, "Number of rounds; 6 or more for conclusions");
  command
      ->add_option("--size", options.sizes,
                   "Sizes of the images in octets, such as 64KiB or 16MiB; by default 64 KiB to "
                   "256 MiB")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::size_t{1}, image_size_max));
  command
      ->add_option("--volume", options.volume,
                   "Octets of the transfers of one system, size, direction and round; at least "
                   "one image")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40))
      ->default_str("64MiB");
  command->add_option("--naming", options.naming_service,
                      "The naming service for the locator, as HOST:PORT; by default, the command "
                      "starts omniNames if it is installed");
  command->add_flag("--split", options.split, "Give each side a CPU of its own");
  command->add_flag("--quick", settings->quick,
                    "One round of three sizes; other options take precedence");
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run_imaging_command(*command, *settings); });
  add_role_command(bench, "imaging", run_imaging_role);
}

}  // namespace perigee::bench
