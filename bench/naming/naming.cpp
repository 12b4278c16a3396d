// Runs the processes of the naming experiment.
#include "naming.h"

#include "harness/process.h"
#include "harness/temporary_folder.h"
#include "harness/usage.h"

#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace perigee::bench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::size_t clients_together = 64;
constexpr int passes = 12;  // over the list of all names

/// Client and server have a CPU each, if there are two.
int cpu(std::size_t index) {
  const std::vector<int> cpus = usable_cpus();
  return cpus.size() < 2 ? -1 : cpus[index % cpus.size()];
}

Words words_of(const NamingOptions& options, Words words) {
  words.insert(words.begin(), options.peers_program);
  return words;
}

/// The numbers that a process prints until it ends.
std::vector<double> numbers_of(Words command, std::size_t count, int on_cpu = -1) {
  Process process({std::move(command), on_cpu});
  std::vector<double> numbers;
  while (numbers.size() < count) numbers.push_back(std::stod(process.read_line()));
  if (process.wait() != 0) throw std::runtime_error("a process of the naming experiment failed");
  return numbers;
}

std::vector<double> numbers_of(const NamingOptions& options, Words words, std::size_t count,
                               int on_cpu = -1) {
  return numbers_of(words_of(options, std::move(words)), count, on_cpu);
}

/// A server with a naming service and an object with a bare void call.
class Server {
 public:
  Server(const NamingOptions& options, const fs::path& store, int on_cpu)
      : process_({words_of(options,
                           {"server", store.string(), "-ORBListenEndpoints", "iiop://127.0.0.1:0",
                            "-ORBLocalTransports", "none", "-ORBThreadStrategy", "reactive"}),
                  on_cpu}),
        root_(process_.read_line()),
        bare_(process_.read_line()) {}
  ~Server() {
    process_.terminate();
    process_.wait();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] const std::string& bare() const { return bare_; }
  /// Octets of memory that only this process has.
  [[nodiscard]] double own_octets() const { return usage_of(process_.pid()).own_octets; }
  [[nodiscard]] double resident_mib() const {
    std::ifstream status("/proc/" + std::to_string(process_.pid()) + "/status");
    for (std::string word; status >> word;)
      if (word == "VmRSS:") {
        double kib = 0;
        status >> kib;
        return kib / 1024;
      }
    throw std::runtime_error("/proc does not show the memory of the server");
  }

 private:
  Process process_;
  std::string root_;
  std::string bare_;
};

double rows(const NamingOptions& options, const fs::path& file, std::size_t count,
            std::size_t group) {
  return numbers_of(options, {"rows", file.string(), std::to_string(count), std::to_string(group)},
                    1)
      .front();
}

/// Bindings per second, and rows per second of the C program. Like the C program, the server may
/// use all CPUs: its thread for clients and its thread that writes work at the same time.
void measure_binds(const NamingOptions& options, NamingSample& sample) {
  const TemporaryFolder folder;
  const Server server(options, folder.path() / "names.db", -1);
  const auto bind = [&](std::size_t clients, std::size_t count) {
    return numbers_of({own_executable(), "bench", "naming-role", "binders", server.root(),
                       std::to_string(clients), std::to_string(count)},
                      1)
        .front();
  };
  sample.binds_alone = bind(1, options.binds_alone);
  sample.rows_alone = rows(options, folder.path() / "alone.db", options.binds_alone, 1);
  sample.binds_together = bind(clients_together, options.binds_together);
  sample.rows_together =
      rows(options, folder.path() / "together.db", options.binds_together, clients_together);
}

NamingSample measure_round(const NamingOptions& options, std::size_t round) {
  NamingSample sample;
  {
    const TemporaryFolder folder;
    const Server server(options, folder.path() / "names.db", cpu(0));
    const std::string calls = std::to_string(options.calls);
    const auto call = [&](const char* kind, const std::string& reference) {
      return numbers_of(options, {"calls", kind, reference, calls}, 1, cpu(1)).front();
    };
    // Both orders, in turn: the second measurement may find the machine in another state.
    if (round % 2 == 0) sample.void_calls = call("void", server.bare());
    sample.resolves = call("resolve", server.root());
    if (round % 2 != 0) sample.void_calls = call("void", server.bare());
  }
  measure_binds(options, sample);
  return sample;
}

NamingScale measure_scale(const NamingOptions& options) {
  const TemporaryFolder folder;
  const std::string count = std::to_string(options.names);
  NamingScale scale;
  scale.memory_mib = numbers_of(options, {"fill", "memory", count}, 1).front();
  const fs::path file = folder.path() / "many.db";
  (void)numbers_of(options, {"fill", file.string(), count}, 1);
  const auto begin = std::chrono::steady_clock::now();
  const Server server(options, file, -1);
  scale.start_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (int pass = 0; pass < passes; ++pass) {
    const auto pages = numbers_of(options, {"pages", server.root()}, 2);
    scale.first_page_us.push_back(pages[0]);
    scale.last_page_us.push_back(pages[1]);
  }
  scale.file_mib = server.resident_mib();
  return scale;
}

/// Raises the limit of open files as far as this process may: its children inherit it.
std::size_t raise_file_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return 0;
  files.rlim_cur = files.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_max : 0;
}

/// One pass over the calls of the clients.
void take_pass(Process& peers, std::size_t calls, NamingClients& measured) {
  peers.write_line(std::to_string(calls));
  std::istringstream answer(peers.read_line());
  double p50 = 0;
  double p99 = 0;
  double rate = 0;
  double burst = 0;
  if (!(answer >> p50 >> p99 >> rate >> burst)) throw std::runtime_error("the clients failed");
  measured.p50_us.push_back(p50);
  measured.p99_us.push_back(p99);
  measured.rate.push_back(rate);
  measured.burst_ms.push_back(burst);
}

NamingClients measure_clients(const NamingOptions& options, std::size_t clients,
                              std::size_t files_max) {
  constexpr std::size_t other_files = 200;  // of a server or of the clients
  constexpr int client_passes = 5;
  NamingClients measured{.clients = clients};
  measured.fits = clients + other_files <= files_max;
  if (!measured.fits) return measured;
  const TemporaryFolder folder;
  const Server server(options, folder.path() / "names.db", cpu(0));
  // Binds the name, and makes the server do its one-time work.
  (void)numbers_of(options, {"calls", "resolve", server.root(), "1000"}, 1);
  const double before = server.own_octets();
  Process peers({{own_executable(), "bench", "naming-role", "clients", server.root(),
                  std::to_string(clients)},
                 cpu(1)});
  if (peers.read_line() != "ready") throw std::runtime_error("the clients cannot connect");
  measured.octets = (server.own_octets() - before) / static_cast<double>(clients);
  for (int pass = 0; pass < client_passes; ++pass) take_pass(peers, options.calls, measured);
  peers.close_input();
  if (peers.wait() != 0) throw std::runtime_error("the clients failed");
  return measured;
}

}  // namespace

NamingReport run_naming(const NamingOptions& options) {
  NamingReport report{options, {}, {}, {}};
  const std::size_t files_max = raise_file_limit();
  for (std::size_t round = 0; round < options.rounds; ++round)
    report.samples.push_back(measure_round(options, round));
  if (options.names > 0) report.scale = measure_scale(options);
  for (const std::size_t clients : options.clients)
    if (clients > 0) report.clients.push_back(measure_clients(options, clients, files_max));
  return report;
}

}  // namespace perigee::bench
