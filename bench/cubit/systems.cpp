// The systems that the cubit experiment compares, and the command lines that start them.
#include "systems.h"

#include "raw.h"
#include "workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace perigee::bench {
namespace {

using Words = std::vector<std::string>;

/// The addresses of the servers over one transport. A UNIX-domain socket is a file, so each server
/// adds a suffix of its own to the path.
struct Network {
  std::string name;
  std::string raw;      ///< of the raw servers: "tcp", or a path
  std::string perigee;  ///< the endpoint of Perigee's servers
  std::string omniorb;  ///< the endpoint of omniORB's servers
};

Words role(Words words) {
  words.insert(words.begin(), {own_executable(), "bench", "cubit-role"});
  return words;
}

void add_raw(std::vector<System>& systems, const Network& network) {
  const auto add = [&](const std::string& kind, const std::string& messages,
                       const std::string& floor) {
    const std::string address = network.raw == "tcp" ? network.raw : network.raw + '-' + kind;
    systems.push_back({kind + ' ' + network.name, role({"raw-server", address}),
                       role({"raw-client", "{REF}", messages}), floor + ' ' + network.name});
  };
  add("raw", "GIOP", "raw");
  add("null", "GIOP", "raw");
  add("rawlite", "GIOPlite", "rawlite");
  const std::string address = network.raw == "tcp" ? network.raw : network.raw + "-epoll";
  systems.push_back({"raw epoll " + network.name, role({"raw-epoll-server", address}),
                     role({"raw-client", "{REF}", "GIOP"}), "raw " + network.name});
}

// Rings in shared memory, without an ORB, and the time of the copies alone.
void add_raw_rings(std::vector<System>& systems, const Network& network) {
  for (const std::string kind : {"raw", "null"})
    systems.push_back({kind + ' ' + network.name,
                       role({"raw-ring-server", network.raw + '-' + kind}),
                       role({"raw-ring-client", "{REF}", "GIOP"}), "raw " + network.name});
  systems.push_back({"rawlite " + network.name, role({"raw-ring-server", network.raw + "-rawlite"}),
                     role({"raw-ring-client", "{REF}", "GIOPlite"}), "rawlite " + network.name});
  systems.push_back({"copies " + network.name, role({"raw-copies-server"}),
                     role({"raw-copies-client", "GIOP"}), "raw " + network.name});
}

/// A thread strategy of Perigee's server. The names of systems that use it end with `suffix`.
struct Strategy {
  std::string name;
  std::string suffix;
};

void add_perigee(std::vector<System>& systems, const Network& network, const Strategy& strategy,
                 const std::string& messages) {
  std::string endpoint = network.perigee;
  if (!endpoint.starts_with("iiop:")) endpoint += '-' + messages + '-' + strategy.name;
  systems.push_back({messages + ' ' + network.name + strategy.suffix,
                     role({"perigee-server", strategy.name, endpoint, messages}),
                     role({"perigee-client", "{REF}", messages}),
                     (messages == "GIOP" ? "raw " : "rawlite ") + network.name});
}

void add_perigee(std::vector<System>& systems, const Network& network) {
  for (const Strategy& strategy :
       {Strategy{"thread-per-connection", ""}, Strategy{"reactive", " reactive"}})
    for (const std::string messages : {"GIOP", "GIOPlite"})
      add_perigee(systems, network, strategy, messages);
  add_perigee(systems, network, {"auto", " auto"}, "GIOP");
}

// Both sides trust each other, so large sequences are not copied.
void add_linked(std::vector<System>& systems, const Network& network) {
  const auto with_trust = [](Words words) {
    words.insert(words.end(), {"GIOP", "SharedMemoryTrust", "yes"});
    return role(std::move(words));
  };
  systems.push_back(
      {"GIOP " + network.name + " linked",
       with_trust({"perigee-server", "thread-per-connection", network.perigee + "-linked"}),
       with_trust({"perigee-client", "{REF}"}), "raw " + network.name});
}

// Asynchronous servants are measured only over TCP: they cost the same over each transport.
void add_asynchronous(std::vector<System>& systems, const Network& network) {
  if (network.name != "TCP") return;
  for (const std::string kind : {"AMH", "coroutine"})
    systems.push_back({kind + ' ' + network.name,
                       role({"asynchronous-server", kind, network.perigee}),
                       role({"perigee-client", "{REF}", "GIOP"}), "raw " + network.name});
}

void add_omniorb(std::vector<System>& systems, const Network& network, const std::string& program) {
  for (const OmniorbThreads threads : {OmniorbThreads::per_connection, OmniorbThreads::pool}) {
    const bool pool = threads == OmniorbThreads::pool;
    std::string endpoint = network.omniorb;
    if (endpoint.starts_with("giop:unix:")) endpoint += pool ? "-pool" : "-threads";
    systems.push_back({"omniORB " + network.name + (pool ? " pool" : ""),
                       omniorb_server(program, endpoint, threads),
                       {program, "client", "{REF}"},
                       "raw " + network.name});
  }
}

// The program gets the message sizes of each workload, so that it moves as many octets as the other
// systems.
void add_iceoryx(std::vector<System>& systems, const std::string& program) {
  Words client{program, "client", "{REF}"};
  for (const std::vector<std::string>& names : {cubit_workloads(), further_cubit_workloads()})
    for (const std::string& name : names) {
      const MessageSizes sizes = giop_sizes(name);
      client.push_back(fmt::format("{}:{}:{}", name, sizes.request, sizes.reply));
    }
  systems.push_back({"iceoryx SHM", {program, "server"}, client, "raw SHM"});
}

}  // namespace

bool uses_iceoryx(const System& system) { return system.name.starts_with("iceoryx"); }

std::vector<System> cubit_systems(const PeerPrograms& peers, const std::filesystem::path& folder) {
  const std::string socket = (folder / "cubit").string();
  std::vector<System> systems;
  for (const Network& network :
       {Network{"TCP", "tcp", "iiop://127.0.0.1:0", "giop:tcp:127.0.0.1:"},
        Network{"UNIX", socket, "uiop://" + socket, "giop:unix:" + socket + "-omniorb"}}) {
    add_raw(systems, network);
    add_perigee(systems, network);
    add_asynchronous(systems, network);
    if (!peers.omniorb.empty()) add_omniorb(systems, network, peers.omniorb);
  }
  const std::string memory = (folder / "memory").string();
  const Network rings{"SHM", memory, "shmiop://" + memory, {}};
  add_raw_rings(systems, rings);
  add_perigee(systems, rings);
  add_linked(systems, rings);
  if (!peers.iceoryx.empty()) add_iceoryx(systems, peers.iceoryx);
  return systems;
}

System cubit_system(const std::string& name, const std::string& omniorb_program) {
  const std::vector<System> systems = cubit_systems({omniorb_program, {}}, {});
  return *std::ranges::find(systems, name, &System::name);
}

std::vector<std::string> quick_cubit_systems() {
  return {"null TCP",  "GIOP TCP",      "GIOPlite TCP", "omniORB TCP", "null UNIX",
          "GIOP UNIX", "GIOPlite UNIX", "omniORB UNIX", "GIOP SHM"};
}

const std::vector<Comparison>& cubit_comparisons() {
  static const std::vector<Comparison> comparisons{
      {"GIOPlite TCP", "GIOP TCP"},
      {"GIOPlite UNIX", "GIOP UNIX"},
      {"raw UNIX", "raw TCP"},
      {"GIOP UNIX", "GIOP TCP"},
      {"GIOPlite UNIX", "GIOPlite TCP"},
      {"omniORB UNIX", "omniORB TCP"},
      {"AMH TCP", "GIOP TCP reactive"},
      {"coroutine TCP", "AMH TCP"},
      {"GIOP TCP auto", "GIOP TCP"},
      {"GIOP UNIX auto", "GIOP UNIX"},
      {"GIOP SHM", "GIOP UNIX"},
      {"GIOP SHM auto", "GIOP SHM"},
      {"GIOP SHM linked", "GIOP SHM"},
      {"GIOP SHM", "copies SHM"},
      {"GIOP SHM", "iceoryx SHM"},
      {"GIOP TCP reactive", "raw epoll TCP"},
      {"GIOP UNIX reactive", "raw epoll UNIX"},
  };
  return comparisons;
}

std::vector<std::string> omniorb_server(const std::string& program, const std::string& endpoint,
                                        OmniorbThreads threads) {
  Words words{program, "server", "-ORBendPoint", endpoint};
  if (threads == OmniorbThreads::pool)
    words.insert(words.end(), {"-ORBthreadPerConnectionPolicy", "0"});
  return words;
}

const std::vector<std::string>& cubit_workloads() {
  static const std::vector<std::string> names{
      "void",  "char", "octet",   "short",  "long",       "double",    "struct",
      "union", "any",  "octets4", "longs4", "octets4096", "longs4096", "structs4096"};
  return names;
}

std::vector<std::string> further_cubit_workloads() {
  std::vector<std::string> names;
  for (const std::size_t size : cubit::small_borrowed_sizes)
    names.push_back(cubit::borrowed_name(size));
  for (const std::size_t size : cubit::large_sizes) {
    names.push_back(cubit::borrowed_name(size));
    names.push_back(cubit::echo_name(size));
  }
  return names;
}

std::string workload_text(const std::string& workload) {
  const auto size_after = [&workload](std::string_view kind) {
    const bool fits = workload.starts_with(kind) && workload.size() > kind.size();
    return fits ? std::stoul(workload.substr(kind.size())) : 0;
  };
  if (workload == "void") return "a call without parameters";
  if (const std::size_t octets = size_after("octets"); octets != 0)
    return fmt::format("a sequence of {} octets is sent and returned", octets);
  if (const std::size_t octets = size_after("longs"); octets != 0)
    return fmt::format("a sequence of {} longs ({} octets) is sent and returned", octets / 4,
                       octets);
  if (workload == "structs4096")
    return fmt::format("a sequence of {} structs ({} octets) is sent and returned",
                       cubit::struct_count, cubit::structs_size);
  if (const std::size_t octets = size_after("borrowed"); octets != 0)
    return fmt::format(
        "a sequence of {} octets is sent from the caller's memory; a number is returned", octets);
  if (workload == "any") return "an any with a long is sent and returned";
  const bool has_vowel = workload.starts_with('o');
  return fmt::format("{} {} is sent and returned", has_vowel ? "an" : "a", workload);
}

std::size_t large_size_of(const std::string& workload) {
  for (const std::size_t size : cubit::large_sizes) {
    if (workload == cubit::borrowed_name(size)) return size;
    if (workload == cubit::echo_name(size)) return 2 * size;
  }
  return 0;
}

namespace {

// Whether the system is a program without an ORB. Such a program has no options for limits.
bool is_floor(const std::string& system) {
  return system.starts_with("raw") || system.starts_with("null") || system.starts_with("copies") ||
         system.starts_with("iceoryx");
}

}  // namespace

void allow_large_messages(std::vector<System>& systems, std::size_t size) {
  constexpr std::size_t default_max = 64u << 20;  // Perigee's; omniORB's is 2 MiB
  const std::string message_max = std::to_string(std::max(size + (1u << 20), default_max));
  const std::string partial_max = std::to_string(2 * (size + (1u << 20)));
  for (System& system : systems)
    for (Words* command : {&system.server, &system.client}) {
      if (system.name.starts_with("omniORB"))
        command->insert(command->end(), {"-ORBgiopMaxMsgSize", message_max});
      else if (!is_floor(system.name) && size + (1u << 20) > default_max)
        command->insert(command->end(),
                        {"MessageSizeMax", message_max, "PartialSizeMax", partial_max});
    }
}

std::vector<std::string> with_reference(std::vector<std::string> client,
                                        const std::string& reference) {
  std::ranges::replace(client, std::string("{REF}"), reference);
  return client;
}

Placement placement_of(bool split) {
  const std::vector<int> cpus = usable_cpus();
  if (split && cpus.size() < 2) throw std::runtime_error("--split needs two CPUs");
  return {cpus.back(), split ? cpus.front() : cpus.back()};
}

Pair::Pair(const System& system, const Placement& placement)
    : server_(std::make_unique<Process>(ProcessOptions{system.server, placement.server_cpu})) {
  reference_ = server_->read_line();
  client_ = std::make_unique<Process>(
      ProcessOptions{with_reference(system.client, reference_), placement.client_cpu});
}

std::istringstream Pair::command(const std::string& workload, const std::string& rest) {
  client_->write_line(workload + ' ' + rest);
  const std::string line = client_->read_line();
  if (!line.starts_with("ok")) throw std::runtime_error(workload + ": " + line);
  return std::istringstream(line.substr(2));
}

std::chrono::nanoseconds Pair::cpu_time() const {
  return server_->cpu_time() + client_->cpu_time();
}

Sample Pair::run(const std::string& workload, std::size_t count) {
  const auto cpu_before = cpu_time();
  std::istringstream words = command(workload, std::to_string(count));
  const auto cpu_after = cpu_time();
  Sample sample;
  words >> sample.p50_ns >> sample.mean_ns;
  sample.cpu_ns = std::chrono::duration<double, std::nano>(cpu_after - cpu_before).count() /
                  static_cast<double>(count);
  return sample;
}

std::vector<double> Pair::times(const std::string& workload, std::size_t count) {
  std::istringstream words = command(workload, std::to_string(count) + " times");
  std::vector<double> times(count);
  for (double& time : times) words >> time;
  if (!words)
    throw std::runtime_error(workload + ": the client has not sent the times of all calls");
  return times;
}

}  // namespace perigee::bench
