// Adds the command `perigee bench sockspeed`: its options, and its roles (hidden commands that run
// the peers).
#include "harness/command.h"

#include "sockspeed.h"

#include <memory>
#include <stdexcept>

namespace perigee::bench {
namespace {

struct SockspeedSettings {
  SockspeedOptions options;
  Output output;
  bool quick = false;
  double milliseconds = 5;
  std::string parent;
  std::string child;
  std::string at;
  std::string version = "wrapper";
  std::vector<std::string> memory;
};

int run_sockspeed_role(const std::vector<std::string>& words) {
  if (words.front() == "parent") return run_sockspeed_parent(words.at(1), words.at(2));
  if (words.front() == "child") return run_sockspeed_child(words.at(1), words.at(2), words.at(3));
  return 1;
}

void check_sizes(const std::vector<std::size_t>& sizes) {
  for (const std::size_t size : sizes)
    if (size < block_size_min || size % sizeof(Word) != 0 || size > 1 << 30)
      throw CLI::ValidationError(
          "--size", std::to_string(size) + ": write a multiple of 8 from 16 octets to 1 GiB");
}

// The lines of runs go to standard error if standard output carries the JSON.
void run_by_hand(const SockspeedSettings& settings) {
  const bool prints_json = settings.output.json_file == "-";
  std::ostream& log = prints_json ? std::cerr : std::cout;
  const auto finish = [&](const SockspeedSide& side) {
    if (prints_json) std::cout << one_line(to_json(side)) << std::flush;
    write_files(side, settings.output);
  };
  SockspeedByHand by_hand{
      .channel = parse_channel(settings.parent.empty() ? settings.child : settings.parent),
      .version = settings.version == "c" ? Version::c : Version::wrapper,
      .address = settings.at,
      .sizes = settings.options.sizes,
      .time = settings.options.time,
      .memory = settings.options.memory.front()};
  if (!settings.parent.empty()) return finish(run_parent_by_hand(by_hand, log));
  if (by_hand.address.empty())
    throw CLI::ValidationError("--child", "needs --at: the address that the parent has printed");
  finish(run_child_by_hand(by_hand, log));
}

void make_sockspeed_quick(const CLI::App& command, SockspeedOptions& options) {
  set_unless_given(command, "--rounds", options.rounds, 3);
  set_unless_given(command, "--size", options.sizes, {64, 4096, 65536});
  options.memory = {Memory::touched};
  if (!options.channels.empty()) return;
  options.channels = {"tcp", "tcp+host-address", "unix", "seqpacket", "pipe", "fifo", "shm"};
  std::cerr << "perigee bench sockspeed: --quick leaves out uring, and most options of channels\n";
}

void run_sockspeed_command(const CLI::App& command, SockspeedSettings& settings) {
  if (settings.quick) make_sockspeed_quick(command, settings.options);
  settings.options.time =
      std::chrono::microseconds(static_cast<std::int64_t>(settings.milliseconds * 1000));
  if (!settings.memory.empty()) {
    settings.options.memory.clear();
    for (const std::string& word : settings.memory)
      settings.options.memory.push_back(word == "touched" ? Memory::touched : Memory::untouched);
  }
  if (settings.options.pairs > 1 && settings.options.split)
    throw CLI::ValidationError("--pairs", "gives each pair a CPU of its own: leave out --split");
  check_sizes(settings.options.sizes);
  if (!settings.parent.empty() || !settings.child.empty()) return run_by_hand(settings);
  write_report(run_sockspeed(settings.options), settings.output);
}

void add_sides(CLI::App& command, SockspeedSettings& settings) {
  const char* const group = "One side only";
  auto* parent =
      command.add_option("--parent", settings.parent,
                         "Send over this channel, and print the address for --at of the child");
  auto* child = command.add_option("--child", settings.child, "Receive over this channel");
  auto* at = command.add_option(
      "--at", settings.at, "Address at which the parent waits: host:port, a path, @name or a name");
  auto* version =
      command.add_option("--version", settings.version, "Code that calls the system: c or wrapper")
          ->check(CLI::IsMember({"c", "wrapper"}))
          ->capture_default_str();
  parent->excludes(child);
  for (CLI::Option* option : {parent, child, at, version}) option->group(group);
}

}  // namespace

void add_sockspeed_command(CLI::App& bench) {
  auto settings = std::make_shared<SockspeedSettings>();  // lives as long as the callback below
  SockspeedOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "sockspeed",
      "Blocks between two processes over pipes, sockets and shared memory, by C calls and by the "
      "typed wrappers");
  add_rounds_option(*command, options.rounds, "Number of rounds; 30 or more for conclusions");
  command->add_option("--ms", settings->milliseconds, "Milliseconds of a timed test")
      ->check(CLI::Range(0.1, 600000.0))
      ->capture_default_str();
  command->add_option("--size", options.sizes, "Octets of a block: multiples of 8, like 64k or 1m")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  command->add_option(
      "--channel", options.channels,
      "Channels: tcp, uring, unix, seqpacket, pipe, fifo or shm, with +host-address, +no-delay, "
      "+non-blocking and +queue=<octets>");
  command->add_option("--memory", settings->memory, "touched or untouched; by default both")
      ->check(CLI::IsMember({"touched", "untouched"}));
  command->add_flag("--split", options.split, "Run parent and child on two CPUs");
  command
      ->add_option("--pairs", options.pairs,
                   "Also measure this many pairs at once, each pair on a CPU of its own")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--quick", settings->quick,
                    "Few rounds of three sizes without uring; other options take precedence");
  add_sides(*command, *settings);
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run_sockspeed_command(*command, *settings); });
  add_role_command(bench, "sockspeed", run_sockspeed_role);
}

}  // namespace perigee::bench
