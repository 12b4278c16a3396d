// The cost of a call on each side, by callgrind: user-space instructions, precise enough for claims
// of less than a few percent; system calls; and calls of malloc.
#include "cubit.h"
#include "harness/callgrind_pair.h"
#include "harness/progress.h"
#include "harness/strace.h"
#include "harness/temporary_folder.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace perigee::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t few = 200;
constexpr std::size_t many = 1200;

bool is_allocator(std::string_view function) {
  static constexpr std::array<std::string_view, 6> names{
      "malloc", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign"};
  return std::ranges::find(names, function) != names.end();
}

/// Reads callgrind's files in the format of its manual. A name is written once, as "cfn=(7)
/// malloc", and is "(7)" from then on. "calls=" refers to the last named function.
class CallgrindFile {
 public:
  explicit CallgrindFile(const fs::path& file) {
    std::ifstream input(file);
    for (std::string line; std::getline(input, line);) read(line);
    if (!complete_) throw std::runtime_error("no totals in " + file.string());
  }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  void read(const std::string& line) {
    if (line.starts_with("fn="))
      note(line.substr(3));
    else if (line.starts_with("cfn="))
      called_ = note(line.substr(4));
    else if (line.starts_with("calls=") && allocators_.contains(called_))
      counts_.allocations += std::stod(line.substr(6));
    else if (line.starts_with("totals:"))
      read_totals(line.substr(7));
  }
  /// Remembers the name, and returns the number of the function.
  std::string note(const std::string& text) {
    const std::size_t end = text.find(')') + 1;
    std::string number = text.substr(0, end);
    if (end + 1 < text.size() && is_allocator(std::string_view(text).substr(end + 1)))
      allocators_.insert(number);
    return number;
  }
  void read_totals(const std::string& text) {
    std::istringstream words(text);
    complete_ = static_cast<bool>(words >> counts_.instructions >> counts_.system_calls);
  }

  Counts counts_;
  std::set<std::string> allocators_;
  std::string called_;
  bool complete_ = false;
};

SideCounts count_run(const System& system, const fs::path& folder, const std::string& command,
                     int cpu) {
  const CallgrindPair pair{.name = system.name,
                           .server = system.server,
                           .client =
                               [&system](const std::string& reference) {
                                 return with_reference(system.client, reference);
                               },
                           .options = {"--collect-systime=yes"},
                           .cpu = cpu};
  const CallgrindFiles files = run_under_callgrind(pair, command, folder);
  return {CallgrindFile(files.client).counts(), CallgrindFile(files.server).counts()};
}

Counts per_call(const Counts& base, const Counts& longer) {
  constexpr double calls = many - few;
  return {(longer.instructions - base.instructions) / calls,
          (longer.system_calls - base.system_calls) / calls,
          (longer.allocations - base.allocations) / calls};
}

double sum(const std::vector<Strace::Call>& calls) {
  double total = 0;
  for (const Strace::Call& call : calls) total += call.count;
  return total;
}

// Through shared memory, the system calls of a call depend on the CPUs and the speed of both sides.
// valgrind slows both sides down, and makes sched_getcpu a system call. So strace counts the system
// calls: it stops a process only at these.
void count_system_calls(SideCounts& counts, const SystemIn& system_in, const std::string& workload,
                        const Placement& placement) {
  const TemporaryFolder folder;
  Pair pair(system_in(folder.path()), placement);
  (void)pair.run(workload, few);
  Strace client(pair.client_pid(), folder.path() / "client.strace");
  Strace server(pair.server_pid(), folder.path() / "server.strace");
  // Both processes also read and write a few lines: many calls make their share small.
  const std::size_t calls = large_size_of(workload) == 0 ? 10 * many : many;
  (void)pair.command(workload, std::to_string(calls) + " untimed");
  counts.client.system_calls = sum(client.stop()) / static_cast<double>(calls);
  counts.server.system_calls = sum(server.stop()) / static_cast<double>(calls);
}

}  // namespace

SideCounts count_calls(const SystemIn& system, const std::string& workload, int cpu) {
  // Each run has its own folder, because terminated servers leave their sockets behind.
  const auto run = [&](std::size_t calls) {
    const TemporaryFolder folder;
    const std::string command = workload + ' ' + std::to_string(calls) + " untimed";
    return count_run(system(folder.path()), folder.path(), command, cpu);
  };
  const SideCounts base = run(few);
  const SideCounts longer = run(many);
  return {per_call(base.client, longer.client), per_call(base.server, longer.server)};
}

void count_costs(CubitReport& report) {
  const Placement placement = placement_of(report.options.split);
  Progress progress("counting", report.systems.size() * report.options.workloads.size());
  for (const std::string& workload : report.options.workloads)
    for (std::size_t index = 0; index < report.systems.size(); ++index) {
      if (uses_iceoryx(report.systems[index])) continue;  // its daemon has ended
      const std::string& name = report.systems[index].name;
      progress.step(name + ", " + workload);
      const auto system = [&](const fs::path& folder) {
        return measured_systems(report, folder).at(index);
      };
      SideCounts& counts = report.cells[workload][name].counts;
      counts = count_calls(system, workload);
      if (name.contains(" SHM")) count_system_calls(counts, system, workload, placement);
    }
  report.claims = claims_of(report);
}

}  // namespace perigee::bench
