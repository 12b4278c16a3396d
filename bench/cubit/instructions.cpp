// User-space instructions per call, by callgrind: exact enough for claims below a few percent.
#include "cubit.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace perigee::bench {
namespace {

namespace fs = std::filesystem;

struct Counts {
  double client = 0;
  double server = 0;
};

std::string valgrind_program() {
  for (const char* candidate : {"/usr/bin/valgrind", "/usr/local/bin/valgrind"})
    if (access(candidate, X_OK) == 0) return candidate;
  throw std::runtime_error("--instructions needs valgrind: apt-get install valgrind");
}

std::vector<std::string> under_callgrind(const std::vector<std::string>& command,
                                         const fs::path& output) {
  std::vector<std::string> arguments{valgrind_program(), "-q", "--tool=callgrind",
                                     "--callgrind-out-file=" + output.string()};
  arguments.insert(arguments.end(), command.begin(), command.end());
  return arguments;
}

// The "totals:" line of a callgrind file.
double total_instructions(const fs::path& file) {
  std::ifstream input(file);
  std::string line;
  while (std::getline(input, line))
    if (line.starts_with("totals:") || line.starts_with("summary:"))
      return std::stod(line.substr(line.find(':') + 1));
  throw std::runtime_error("no totals in " + file.string());
}

Counts count_run(const System& system, const std::string& workload, std::size_t calls,
                 const fs::path& folder) {
  const fs::path client_file = folder / "client.out";
  const fs::path server_file = folder / "server.out";
  Process server({under_callgrind(system.server, server_file), -1});
  const std::string reference = server.read_line();
  std::vector<std::string> command = system.client;
  for (std::string& word : command)
    if (word == "{REF}") word = reference;
  Process client({under_callgrind(command, client_file), -1});
  client.write_line(workload + " " + std::to_string(calls));
  const std::string answer = client.read_line();
  if (!answer.starts_with("ok")) throw std::runtime_error(system.name + ": " + answer);
  client.close_input();
  client.wait();
  server.terminate();
  server.wait();
  return {total_instructions(client_file), total_instructions(server_file)};
}

}  // namespace

void count_instructions(CubitReport& report) {
  std::string pattern = (fs::temp_directory_path() / "perigee-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  const fs::path folder = pattern;
  constexpr std::size_t few = 200;
  constexpr std::size_t many = 1200;
  for (const System& system :
       cubit_systems(report.options.floor_only ? std::string() : report.options.omniorb_program)) {
    for (const std::string& workload : report.options.workloads) {
      const Counts base = count_run(system, workload, few, folder);
      const Counts longer = count_run(system, workload, many, folder);
      Cell& cell = report.cells[workload][system.name];
      cell.client_instructions = (longer.client - base.client) / (many - few);
      cell.server_instructions = (longer.server - base.server) / (many - few);
      cell.instructions = cell.client_instructions + cell.server_instructions;
    }
  }
  fs::remove_all(folder);
}

}  // namespace perigee::bench
