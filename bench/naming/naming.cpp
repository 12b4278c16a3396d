// Runs the processes of the naming experiment.
#include "naming.h"

#include "harness/process.h"
#include "harness/temporary_folder.h"

#include <chrono>
#include <filesystem>
#include <fstream>
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
std::vector<double> numbers_of(const NamingOptions& options, Words words, std::size_t count,
                               int on_cpu = -1) {
  Process process({words_of(options, std::move(words)), on_cpu});
  std::vector<double> numbers;
  while (numbers.size() < count) numbers.push_back(std::stod(process.read_line()));
  if (process.wait() != 0) throw std::runtime_error("naming_peers failed");
  return numbers;
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
  [[nodiscard]] double resident_mib() const {
    std::ifstream status("/proc/" + std::to_string(process_.pid()) + "/status");
    for (std::string word; status >> word;)
      if (word == "VmRSS:") {
        double kib = 0;
        status >> kib;
        return kib / 1024;
      }
    throw std::runtime_error("no memory size of the server");
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

NamingSample measure_round(const NamingOptions& options, std::size_t round) {
  const TemporaryFolder folder;
  const Server server(options, folder.path() / "names.db", cpu(0));
  const std::string calls = std::to_string(options.calls);
  const auto bind = [&](std::size_t clients, std::size_t count) {
    return numbers_of(options,
                      {"bind", server.root(), std::to_string(clients), std::to_string(count),
                       "bind" + std::to_string(clients)},
                      1)
        .front();
  };
  const auto call = [&](const char* kind, const std::string& reference) {
    return numbers_of(options, {"calls", kind, reference, calls}, 1, cpu(1)).front();
  };
  NamingSample sample;
  // Both orders, in turn: the second measurement may find the machine in another state.
  if (round % 2 == 0) sample.void_calls = call("void", server.bare());
  sample.resolves = call("resolve", server.root());
  if (round % 2 != 0) sample.void_calls = call("void", server.bare());
  sample.binds_alone = bind(1, options.binds_alone);
  sample.rows_alone = rows(options, folder.path() / "alone.db", options.binds_alone, 1);
  sample.binds_together = bind(clients_together, options.binds_together);
  sample.rows_together =
      rows(options, folder.path() / "together.db", options.binds_together, clients_together);
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

}  // namespace

NamingReport run_naming(const NamingOptions& options) {
  NamingReport report{options, {}, {}};
  for (std::size_t round = 0; round < options.rounds; ++round)
    report.samples.push_back(measure_round(options, round));
  if (options.names > 0) report.scale = measure_scale(options);
  return report;
}

}  // namespace perigee::bench
