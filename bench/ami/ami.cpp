// Runs the experiment on asynchronous calls: rounds over all kinds of calls and all numbers of
// calls in flight. A ratio compares two values of the same round.
#include "ami.h"

#include "harness/progress.h"

#include <algorithm>
#include <utility>

namespace perigee::bench {
namespace {

constexpr const char* synchronous = "synchronous";
constexpr const char* default_server = "auto";
constexpr std::size_t goal_in_flight = 64;

// The server command of the cubit experiment.
std::vector<std::string> server_command(const AmiOptions& options, const std::string& server) {
  if (server == "omniORB") return cubit_system("omniORB TCP", options.omniorb_program).server;
  return {own_executable(),     "bench", "cubit-role", "perigee-server", server,
          "iiop://127.0.0.1:0", "GIOP"};
}

System ami_system(const AmiOptions& options, const std::string& server, const std::string& kind) {
  return {kind,
          server_command(options, server),
          {own_executable(), "bench", "ami-role", "client", kind, "{REF}"}};
}

/// One measured combination of a kind of call and a number of calls in flight.
struct Point {
  std::size_t kind;  ///< index of ami_kinds()
  std::size_t in_flight;
};

std::vector<Point> points_of(const AmiOptions& options) {
  std::vector<Point> points{{0, 1}};
  for (std::size_t kind = 1; kind < ami_kinds().size(); ++kind)
    for (const std::size_t in_flight : options.in_flight) points.push_back({kind, in_flight});
  return points;
}

AmiSample measure(Pair& pair, std::size_t in_flight, std::size_t calls) {
  const auto cpu_before = pair.cpu_time();
  AmiSample sample;
  pair.command(std::to_string(in_flight), std::to_string(calls)) >> sample.call_ns;
  const std::chrono::duration<double, std::nano> cpu = pair.cpu_time() - cpu_before;
  sample.cpu_ns = cpu.count() / static_cast<double>(calls);
  return sample;
}

// Runs some rounds with new processes.
void run_processes(const AmiPart& part, const AmiOptions& options, std::size_t first,
                   AmiRounds& rounds, Progress& progress) {
  std::vector<Pair> pairs;
  for (const std::string& kind : ami_kinds())
    pairs.emplace_back(ami_system(options, part.server, kind), placement_of(part.cpus == 2));
  for (Pair& pair : pairs) measure(pair, options.in_flight.back(), options.calls);  // warm up
  const std::vector<Point> points = points_of(options);
  const std::size_t end = std::min(first + rounds_a_process, options.rounds);
  for (std::size_t round = first; round < end; ++round) {
    progress.step(part.server);
    for (std::size_t turn = 0; turn < points.size(); ++turn) {
      const auto& [kind, in_flight] = points[(turn + round * 7) % points.size()];
      rounds[ami_kinds()[kind]][in_flight].push_back(
          measure(pairs[kind], in_flight, options.calls));
    }
  }
}

// The ratio of the rates in the same round.
Estimate ratio_of(const std::vector<AmiSample>& samples, const std::vector<AmiSample>& base) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < samples.size(); ++round)
    ratios.push_back(base[round].call_ns / samples[round].call_ns);
  return median_with_interval(ratios);
}

AmiCell summarise(const std::vector<AmiSample>& samples, const std::vector<AmiSample>& base) {
  std::vector<double> rates;
  std::vector<double> cpu;
  for (const AmiSample& sample : samples) {
    rates.push_back(1e9 / sample.call_ns);
    cpu.push_back(sample.cpu_ns);
  }
  AmiCell cell;
  cell.rate = median_with_interval(rates);
  cell.ratio = ratio_of(samples, base);
  cell.cpu_ns = median(cpu);
  return cell;
}

const AmiCell* goal_cell(const AmiPart& part, const std::string& kind) {
  const auto numbers = part.cells.find(kind);
  if (numbers == part.cells.end()) return nullptr;
  const auto cell = numbers->second.find(goal_in_flight);
  return cell == numbers->second.end() ? nullptr : &cell->second;
}

}  // namespace

const std::vector<std::string>& ami_servers() {
  static const std::vector<std::string> names{
      "auto", "reactive", "reactor-per-core", "thread-pool", "thread-per-connection", "omniORB"};
  return names;
}

const std::vector<std::string>& ami_kinds() {
  static const std::vector<std::string> names{synchronous, "callbacks", "coroutines", "deferred"};
  return names;
}

AmiCells summarise(const AmiRounds& rounds) {
  const std::vector<AmiSample>& base = rounds.at(synchronous).at(1);
  AmiCells cells;
  for (const auto& [kind, numbers] : rounds)
    for (const auto& [in_flight, samples] : numbers) {
      cells[kind][in_flight] = summarise(samples, base);
      if (const auto one = numbers.find(1); one != numbers.end())
        cells[kind][in_flight].gain = ratio_of(samples, one->second);
    }
  return cells;
}

AmiReport run_ami(const AmiOptions& options) {
  AmiReport report{options};
  for (const std::size_t cpus : options.cpus)
    for (const std::string& server : options.servers)
      report.parts.push_back({.server = server, .cpus = cpus});
  Progress progress("ami", report.parts.size() * options.rounds);
  for (AmiPart& part : report.parts) {
    AmiRounds rounds;
    for (std::size_t first = 0; first < options.rounds; first += rounds_a_process)
      run_processes(part, options, first, rounds, progress);
    part.cells = summarise(rounds);
  }
  return report;
}

void count_costs(AmiReport& report) {
  Progress progress("counting", report.parts.size() * ami_kinds().size());
  for (AmiPart& part : report.parts)
    for (auto& [kind, numbers] : part.cells) {
      progress.step(part.server + ", " + kind);
      const auto system = [&](const std::filesystem::path&) {
        return ami_system(report.options, part.server, kind);
      };
      for (auto& [in_flight, cell] : numbers)
        if (part.cpus == 1 && (in_flight == 1 || in_flight == goal_in_flight))
          cell.counts = count_calls(system, std::to_string(in_flight), usable_cpus().back());
    }
}

std::vector<Claim> claims_of(const AmiReport& report) {
  std::vector<Claim> claims;
  for (const AmiPart& part : report.parts)
    for (const std::string kind : {"callbacks", "coroutines"}) {
      const AmiCell* cell = goal_cell(part, kind);
      if (cell == nullptr) continue;
      if (part.cpus == 1)
        claims.push_back({part.server + ", 64 in flight: " + kind + " / synchronous",
                          Bound::at_least, part.server == "omniORB" ? 1.5 : 5, cell->ratio});
      if (part.server == default_server && cell->gain)
        claims.push_back({part.server + (part.cpus == 1 ? ", one CPU: " : ", two CPUs: ") + kind +
                              ", 64 in flight / one",
                          Bound::at_least, 5, *cell->gain});
    }
  return claims;
}

}  // namespace perigee::bench
