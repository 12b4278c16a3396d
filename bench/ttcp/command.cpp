// Adds the command `perigee bench ttcp`: its options, and its roles (hidden commands that run the
// peers).
#include "harness/command.h"

#include "harness/companions.h"
#include "links.h"
#include "profile.h"
#include "roles.h"
#include "ttcp.h"

#include <memory>

namespace perigee::bench {
namespace {

struct TtcpSettings {
  TtcpOptions options;
  Output output;
  bool quick = false;
  bool large = false;
  bool profile = false;
  bool receive = false;
  bool once = false;
  std::string transmit_to;
  std::vector<std::size_t> links;
  std::uint16_t port = 5001;  // the port of the first ttcp
};

void make_ttcp_quick(const CLI::App& command, TtcpOptions& options) {
  set_unless_given(command, "--rounds", options.rounds, 3);
  set_unless_given(command, "--volume", options.volume, 4 * 1024 * 1024);
  set_unless_given(command, "--buffers-max", options.buffers_max, 1024);
  set_unless_given(command, "--size", options.sizes, {1, 4 * 1024, 64 * 1024});
  set_unless_given(command, "--queue", options.queue_sizes, {0});
}

// One size of queues is enough to see the costs, unless the user wants more.
void make_profile(const CLI::App& command, TtcpOptions& options) {
  set_unless_given(command, "--queue", options.queue_sizes, {0});
}

// A transfer over a slow link takes a second, so the defaults are few sizes and rounds.
void make_links(const CLI::App& command, TtcpOptions& options) {
  set_unless_given(command, "--rounds", options.rounds, 5);
  set_unless_given(command, "--size", options.sizes, {64 * 1024});
  set_unless_given(command, "--queue", options.queue_sizes, {0});
  set_unless_given(command, "--version", options.versions, link_ttcp_versions());
}

constexpr std::size_t mib = 1024 * 1024;

void make_large(const CLI::App& command, TtcpOptions& options) {
  set_unless_given(command, "--rounds", options.rounds, 5);
  set_unless_given(command, "--volume", options.volume, 256 * mib);
  set_unless_given(command, "--size", options.sizes,
                   {64 * 1024, 256 * 1024, mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib});
  set_unless_given(command, "--queue", options.queue_sizes, {0});
  set_unless_given(command, "--version", options.versions, large_ttcp_versions());
}

// Writes the files again after each session, because a signal usually ends the command. The files
// contain all sessions so far. On standard output, each session is one line.
void receive_sessions(const TtcpSettings& settings) {
  const bool prints_json = settings.output.json_file == "-";
  const TtcpService service{settings.port, settings.options.omniorb_program, settings.once,
                            prints_json};
  serve_ttcp(service, [&](const TtcpServed& served) {
    if (prints_json) {
      const TtcpServed last{served.port, {served.sessions.back()}};
      std::cout << one_line(to_json(last)) << std::flush;
    }
    write_files(served, settings.output);
  });
}

void run_ttcp_command(const CLI::App& command, TtcpSettings& settings) {
  TtcpOptions& options = settings.options;
  if (!settings.links.empty()) make_links(command, options);
  if (settings.quick) make_ttcp_quick(command, options);
  if (settings.large) make_large(command, options);
  if (settings.profile) make_profile(command, options);
  options.omniorb_program = find_omniorb_program("ttcp_omniorb");
  if (!settings.receive && !settings.profile && settings.links.empty() &&
      settings.transmit_to.empty())
    options.iceoryx_program = find_iceoryx_program("ttcp_iceoryx");
  if (settings.receive)
    receive_sessions(settings);
  else if (settings.profile)
    write_report(profile_ttcp(options), settings.output);
  else if (!settings.links.empty())
    write_report(run_ttcp_links(options, settings.links), settings.output);
  else if (!settings.transmit_to.empty())
    write_report(run_ttcp(options, settings.transmit_to, settings.port), settings.output);
  else
    write_report(run_ttcp(options), settings.output);
}

// The words: receiver or transmitter, kind, family or payload, size of the queues, address or
// reference, ORB options.
int run_ttcp_role(const std::vector<std::string>& words) {
  const std::string& kind = words.at(1);
  const std::string& variant = words.at(2);
  const std::string& place = words.at(4);
  const TtcpRole role{place, variant, std::stoul(words.at(3)), orb_options_of(words, 5)};
  const UdpProgram udp = kind == "c" ? UdpProgram::c : UdpProgram::wrapper;
  const FifoProgram fifo = kind == "c" ? FifoProgram::c : FifoProgram::wrapper;
  if (words.front() == "receiver") {
    if (variant == "udp") return run_udp_receiver(udp, role);
    if (variant == "fifo") return run_fifo_receiver(fifo, role);
    if (kind == "c") return run_c_receiver(variant, role);
    if (kind == "wrapper") return run_wrapper_receiver(variant, role);
    if (kind == "orb") return run_orb_receiver("tcp", role);
    if (kind == "orb-unix") return run_orb_receiver("unix", role);
    if (kind == "orb-shm") return run_orb_receiver("shm", role);
  } else {
    if (variant == "udp") return run_udp_transmitter(udp, place, role);
    if (variant == "fifo") return run_fifo_transmitter(fifo, place, role);
    if (kind == "c") return run_c_transmitter(variant, place, role);
    if (kind == "wrapper") return run_wrapper_transmitter(variant, place, role);
    if (kind == "orb") return run_orb_transmitter("tcp", place, role);
    if (kind == "orb-unix") return run_orb_transmitter("unix", place, role);
    if (kind == "orb-shm") return run_orb_transmitter("shm", place, role);
  }
  return 1;
}

void add_modes(CLI::App& command, TtcpSettings& settings) {
  auto* profile = command.add_flag(
      "--profile", settings.profile,
      "Show the functions and system calls that take the time, with perf, strace and callgrind");
  command
      .add_option("--tool", settings.options.profile_tools,
                  "With --profile: use only these tools; may be given several times")
      ->check(CLI::IsMember({"perf", "strace", "callgrind"}))
      ->needs(profile);
  auto* receive = command.add_flag("--receive", settings.receive,
                                   "Start receivers for transmitters on other machines");
  receive->excludes(profile);
  command.add_flag("--once", settings.once, "With --receive: end after one session")
      ->needs(receive);
  auto* transmit =
      command
          .add_option("--transmit", settings.transmit_to,
                      "Transmit to the receivers on the machine with this name or address")
          ->excludes(receive)
          ->excludes(profile);  // the tools of --profile attach to both sides
  command
      .add_option("--link", settings.links,
                  "Transfer over links of these speeds in Mbit/s, between two network namespaces; "
                  "0: no limit")
      ->check(CLI::Range(0, 100000))
      ->excludes(receive)
      ->excludes(profile)
      ->excludes(transmit);
  command.add_option("--port", settings.port, "Port of --receive and --transmit")
      ->capture_default_str();
}

}  // namespace

void add_ttcp_command(CLI::App& bench) {
  auto settings = std::make_shared<TtcpSettings>();  // lives as long as the callback below
  TtcpOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "ttcp",
      "Streams of buffers over C sockets, wrappers and oneway calls, compared with omniORB");
  add_rounds_option(*command, options.rounds, "Number of rounds; 30 or more for conclusions");
  command->add_option("--volume", options.volume, "Octets of a transfer, like 64MiB")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  command
      ->add_option("--buffers-max", options.buffers_max, "Largest number of buffers of a transfer")
      ->check(CLI::Range(1, 100000000))
      ->capture_default_str();
  command->add_option("--size", options.sizes, "Sizes of buffers, like 8KiB")
      ->transform(CLI::AsSizeValue(false) & CLI::Range(1, 256 * 1024 * 1024));
  command
      ->add_option("--queue", options.queue_sizes,
                   "Sizes of socket queues; 0: the default of the system")
      ->transform(CLI::AsSizeValue(false));
  command->add_option(
      "--version", options.versions,
      "Measure only these versions, and the C versions that they are compared with");
  command->add_option("--strategy", options.strategy, "Thread strategy of the ORB's receivers");
  command->add_flag("--large", settings->large,
                    "Buffers from 64KiB to 256MiB, and octets only; other options take precedence");
  command->add_flag("--split", options.split, "Run transmitter and receiver on two CPUs");
  command->add_flag("--quick", settings->quick,
                    "Few small transfers; other options take precedence");
  add_modes(*command, *settings);
  add_output_options(*command, settings->output);
  command->callback([command, settings] { run_ttcp_command(*command, *settings); });
  add_role_command(bench, "ttcp", run_ttcp_role);
}

}  // namespace perigee::bench
