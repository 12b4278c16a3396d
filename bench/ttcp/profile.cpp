// Profiles transfers: attaches perf and strace to running processes, and runs others under
// callgrind.
#include "profile.h"

#include "harness/process.h"
#include "harness/progress.h"
#include "harness/strace.h"
#include "harness/temporary_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace perigee::bench {
namespace {

namespace fs = std::filesystem;

constexpr double small_percent = 1;          // functions with a smaller share are left out
constexpr int sampled_transfers = 8;         // one transfer alone gives perf few samples
constexpr std::size_t traced_buffers = 512;  // each system call is slow under strace

/// Both sides of one version, on one CPU.
class Sides {
 public:
  Sides(const TtcpVersion& version, std::size_t queue_size)
      : version_(version),
        receiver_({receiver_command(version, {.queue_size = queue_size}), cpu()}),
        transmitter_({transmitter_command(version, receiver_.read_line(), queue_size), cpu()}) {
    if (transmitter_.read_line() != "ready") throw std::runtime_error(version.name + ": not ready");
  }

  /// Returns the time of the transfer in nanoseconds.
  double transfer(std::size_t size, std::size_t count) {
    transmitter_.write_line(std::to_string(version_.payload_size(size)) + ' ' +
                            std::to_string(count));
    const std::string answer = transmitter_.read_line();
    std::istringstream words(answer);
    std::string status;
    double elapsed_ns = 0;
    if (!(words >> status >> elapsed_ns) || status != "ok")
      throw std::runtime_error(version_.name + ": " + answer);
    return elapsed_ns;
  }
  [[nodiscard]] pid_t receiver() const { return receiver_.pid(); }
  [[nodiscard]] pid_t transmitter() const { return transmitter_.pid(); }

 private:
  static int cpu() { return usable_cpus().back(); }

  const TtcpVersion& version_;
  Process receiver_;
  Process transmitter_;
};

/// perf, attached to a process. It samples from the end of the constructor until `stop`.
class Perf {
 public:
  Perf(pid_t pid, const fs::path& file)
      : file_(file),
        perf_({{find_program("perf"), "record", "-q", "-o", file.string(), "--control", "fd:0,1",
                "-D", "-1", "-p", std::to_string(pid)},
               -1}) {
    order("enable");
  }

  std::vector<CostlyFunction> stop() {
    order("stop");
    perf_.wait();
    Process report({{find_program("perf"), "report", "-i", file_.string(), "--stdio", "-q", "-F",
                     "overhead,dso,sym", "-t", "\t"},
                    -1});
    return parse(report.read_rest());
  }

 private:
  void order(const std::string& word) {
    perf_.write_line(word);
    if (perf_.read_line().find("ack") == std::string::npos)
      throw std::runtime_error("perf has not confirmed the command " + word);
  }

  // A line has the overhead, the object, and "[k] name" or "[.] name", separated by tabs.
  static std::vector<CostlyFunction> parse(const std::string& text) {
    std::vector<CostlyFunction> functions;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      CostlyFunction function;
      std::string percent;
      if (!std::getline(cells, percent, '\t') || !std::getline(cells, function.object, '\t') ||
          !std::getline(cells, function.name))
        continue;
      function.percent = std::strtod(percent.c_str(), nullptr);
      if (function.percent < small_percent) continue;
      function.object.erase(function.object.find_last_not_of(' ') + 1);
      if (function.object.starts_with("[kernel")) function.object = "[kernel]";
      if (const std::size_t mark = function.name.find("] "); mark != std::string::npos)
        function.name.erase(0, mark + 2);
      function.name.erase(function.name.find_last_not_of(' ') + 1);
      functions.push_back(function);
    }
    return functions;
  }

  fs::path file_;
  Process perf_;
};

std::vector<SystemCallCount> per_buffer(const std::vector<Strace::Call>& calls, std::size_t buffers,
                                        std::size_t size) {
  const double mib = static_cast<double>(buffers * size) / (1024 * 1024);
  std::vector<SystemCallCount> counts;
  for (const auto& [name, count, seconds] : calls)
    if (const double each = count / static_cast<double>(buffers); each >= 0.01)
      counts.push_back({name, each, seconds * 1000 / mib});
  return counts;
}

void add_functions(VersionProfile& profile, Sides& sides, const fs::path& folder,
                   std::size_t count) {
  Perf transmitter(sides.transmitter(), folder / "transmitter.perf");
  Perf receiver(sides.receiver(), folder / "receiver.perf");
  for (int transfer = 0; transfer < sampled_transfers; ++transfer)
    (void)sides.transfer(profile.size, count);
  profile.transmitter.functions = transmitter.stop();
  profile.receiver.functions = receiver.stop();
}

void add_calls(VersionProfile& profile, Sides& sides, const fs::path& folder, std::size_t count) {
  const double untraced_ns = sides.transfer(profile.size, count);
  Strace transmitter(sides.transmitter(), folder / "transmitter.strace");
  Strace receiver(sides.receiver(), folder / "receiver.strace");
  profile.strace_slowdown = sides.transfer(profile.size, count) / untraced_ns;
  profile.transmitter.calls = per_buffer(transmitter.stop(), count, profile.size);
  profile.receiver.calls = per_buffer(receiver.stop(), count, profile.size);
}

// The reason why a tool cannot be used. The tool is tried once, on an idle process.
template <typename Tool>
std::string why_not(const TtcpVersion& version, const fs::path& folder) {
  try {
    const Sides sides(version, 0);
    Tool(sides.receiver(), folder / "probe");
    return {};
  } catch (const std::exception& failure) {
    return failure.what();
  }
}

// callgrind starts the programs itself and needs no rights, so it is enough to install valgrind.
std::string why_no_callgrind() {
  try {
    (void)find_program("valgrind");
    return {};
  } catch (const std::exception& failure) {
    return failure.what();
  }
}

ProfileReport usable_tools(const TtcpOptions& options, const TtcpVersion& version,
                           const fs::path& folder) {
  ProfileReport report{options};
  const auto is_usable = [&](const std::string& tool, const auto& why) {
    if (std::ranges::find(options.profile_tools, tool) == options.profile_tools.end()) return false;
    const std::string reason = why();
    if (!reason.empty()) report.not_used[tool] = reason;
    return reason.empty();
  };
  report.has_functions = is_usable("perf", [&] { return why_not<Perf>(version, folder); });
  report.has_calls = is_usable("strace", [&] { return why_not<Strace>(version, folder); });
  report.has_costs = is_usable("callgrind", why_no_callgrind);
  for (const auto& [tool, reason] : report.not_used)
    std::cerr << "perigee bench ttcp: " << tool << " cannot be used: " << reason << '\n';
  if (!report.has_functions && !report.has_calls && !report.has_costs)
    throw std::runtime_error(
        "--profile needs valgrind, or perf or strace and the right to attach them");
  return report;
}

VersionProfile profile_transfers(const ProfileReport& report, const TtcpVersion& version,
                                 std::size_t queue_size, std::size_t size, const fs::path& folder) {
  const std::size_t count = buffer_count(report.options, size);
  VersionProfile profile{.version = version.name, .queue_size = queue_size, .size = size};
  if (report.has_functions || report.has_calls) {
    Sides sides(version, queue_size);
    (void)sides.transfer(size, std::min(count, traced_buffers));  // warm up
    if (report.has_functions) add_functions(profile, sides, folder, count);
    if (report.has_calls) add_calls(profile, sides, folder, std::min(count, traced_buffers));
  }
  if (report.has_costs) {
    TransferCosts costs = count_functions(version, size, queue_size, folder);
    profile.transmitter.costs = std::move(costs.transmitter);
    profile.receiver.costs = std::move(costs.receiver);
  }
  return profile;
}

}  // namespace

ProfileReport profile_ttcp(const TtcpOptions& options) {
  const TemporaryFolder folder;
  const std::vector<TtcpVersion> versions = chosen_versions(options);
  ProfileReport report = usable_tools(options, versions.front(), folder.path());
  Progress progress("ttcp", versions.size() * options.sizes.size() * options.queue_sizes.size());
  for (const TtcpVersion& version : versions)
    for (const std::size_t queue_size : options.queue_sizes)
      for (const std::size_t size : options.sizes) {
        progress.step(version.name);
        if (version.can_carry(size, queue_size))
          report.profiles.push_back(
              profile_transfers(report, version, queue_size, size, folder.path()));
      }
  return report;
}

}  // namespace perigee::bench
