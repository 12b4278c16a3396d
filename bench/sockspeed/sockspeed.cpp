// Runs the experiment: all channels in turn. Each round measures each version of a channel.
#include "sockspeed.h"

#include "harness/process.h"
#include "harness/progress.h"
#include <perigee/ipc/uring.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace perigee::bench {
namespace {

struct SpeedSample {
  double speed = 0;   ///< octets a second
  double cpu_ns = 0;  ///< for each transfer, both sides
};

Outcome read_outcome(Process& process) {
  const std::string line = process.read_line();
  std::istringstream words(line);
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t cpu = 0;
  Outcome outcome;
  if (!(words >> outcome.transfers >> begin >> end >> cpu))
    throw std::runtime_error("sockspeed: not the results of a test: " + line);
  outcome.begin = std::chrono::nanoseconds(begin);
  outcome.end = std::chrono::nanoseconds(end);
  outcome.cpu = std::chrono::nanoseconds(cpu);
  return outcome;
}

/// The ratios of two systems, round by round.
Estimate ratios(std::vector<double> values, const std::vector<double>& base) {
  for (std::size_t round = 0; round < values.size(); ++round) values[round] /= base[round];
  return median_with_interval(values);
}

/// A parent and its child.
class Couple {
 public:
  Couple(const Channel& channel, const std::string& version, const std::vector<int>& cpus)
      : parent_({role({"parent", to_text(channel), version}), cpus.front()}),
        child_({role({"child", to_text(channel), version, parent_.read_line()}), cpus.back()}) {
    if (child_.read_line() != "joined")
      throw std::runtime_error("sockspeed: the child has not connected");
    if (channel.medium == Medium::pipe) parent_.write_line("the child is there");
  }

  SpeedSample run(std::size_t size, Memory memory, std::chrono::microseconds time) {
    begin(size, memory, time);
    return finish(size);
  }
  /// Does not wait for the end of the run: finish() does.
  void begin(std::size_t size, Memory memory, std::chrono::microseconds time) {
    parent_.write_line(std::to_string(size) + " " + std::to_string(time.count()) + " " +
                       (memory == Memory::touched ? "1" : "0"));
  }
  SpeedSample finish(std::size_t size) {
    const Outcome sent = read_outcome(parent_);
    const Outcome received = read_outcome(child_);
    if (sent.transfers != received.transfers)
      throw std::runtime_error("sockspeed: blocks were lost");
    const auto transfers = static_cast<double>(sent.transfers);
    const double seconds = std::chrono::duration<double>(received.end - sent.begin).count();
    return {transfers * static_cast<double>(size) / seconds,
            static_cast<double>((sent.cpu + received.cpu).count()) / transfers};
  }

 private:
  static std::vector<std::string> role(std::vector<std::string> words) {
    words.insert(words.begin(), {own_executable(), "bench", "sockspeed-role"});
    return words;
  }

  Process parent_;
  Process child_;
};

/// Several couples of a channel that send at the same time.
class Crowd {
 public:
  /// One couple for each CPU.
  Crowd(const Channel& channel, const std::vector<int>& cpus) {
    for (const int cpu : cpus) couples_.emplace_back(channel, "c", std::vector{cpu});
  }

  /// The throughput of all couples together.
  double run(std::size_t size, Memory memory, std::chrono::microseconds time) {
    for (Couple& couple : couples_) couple.begin(size, memory, time);
    double speed = 0;
    for (Couple& couple : couples_) speed += couple.finish(size).speed;
    return speed;
  }

 private:
  std::vector<Couple> couples_;
};

/// All couples of a channel: C, C again to show random variation, and the wrapper.
class Contest {
 public:
  /// `crowd_cpus` is empty if the experiment does not measure several pairs at the same time.
  Contest(const Channel& channel, const std::vector<int>& cpus,
          const std::vector<int>& crowd_cpus) {
    for (const char* version : {"c", "c"}) couples_.emplace_back(channel, version, cpus);
    if (has_wrapper(channel)) couples_.emplace_back(channel, "wrapper", cpus);
    if (!crowd_cpus.empty()) crowd_.emplace(channel, crowd_cpus);
  }

  void begin() {
    samples_.assign(couples_.size(), {});
    crowd_speeds_.clear();
  }
  /// The first couple changes from round to round.
  void take_round(std::size_t round, std::size_t size, Memory memory,
                  std::chrono::microseconds time) {
    for (std::size_t turn = 0; turn < couples_.size(); ++turn) {
      const std::size_t index = (turn + round) % couples_.size();
      samples_[index].push_back(couples_[index].run(size, memory, time));
    }
    if (crowd_) crowd_speeds_.push_back(crowd_->run(size, memory, time));
  }
  [[nodiscard]] SockspeedCell cell() const {
    SockspeedCell cell;
    cell.c_speed = median(of(0, &SpeedSample::speed));
    cell.c_cpu_ns = median(of(0, &SpeedSample::cpu_ns));
    cell.null = ratio(1, &SpeedSample::speed);
    cell.null_cpu = ratio(1, &SpeedSample::cpu_ns);
    if (couples_.size() == 3) {
      cell.wrapper_speed = median(of(2, &SpeedSample::speed));
      cell.wrapper_cpu_ns = median(of(2, &SpeedSample::cpu_ns));
      cell.ratio = ratio(2, &SpeedSample::speed);
      cell.cpu_ratio = ratio(2, &SpeedSample::cpu_ns);
    }
    if (crowd_) {
      cell.pairs_speed = median(crowd_speeds_);
      cell.pairs_ratio = ratios(crowd_speeds_, speeds());
    }
    return cell;
  }
  /// The throughput of the bare calls, round by round.
  [[nodiscard]] std::vector<double> speeds() const { return of(0, &SpeedSample::speed); }

 private:
  [[nodiscard]] std::vector<double> of(std::size_t couple, double SpeedSample::* member) const {
    std::vector<double> values;
    for (const SpeedSample& sample : samples_[couple]) values.push_back(sample.*member);
    return values;
  }
  /// The ratio to the first couple, round by round.
  [[nodiscard]] Estimate ratio(std::size_t couple, double SpeedSample::* member) const {
    return ratios(of(couple, member), of(0, member));
  }

  std::vector<Couple> couples_;
  std::vector<std::vector<SpeedSample>> samples_;
  std::optional<Crowd> crowd_;
  std::vector<double> crowd_speeds_;
};

using Contests = std::map<std::string, Contest>;

std::vector<SockspeedCompared> compare(const Contests& contests, Memory memory, std::size_t size) {
  std::vector<SockspeedCompared> compared;
  for (const Comparison& comparison : sockspeed_comparisons()) {
    const auto system = contests.find(comparison.system);
    const auto base = contests.find(comparison.base);
    if (system == contests.end() || base == contests.end()) continue;
    compared.push_back(
        {comparison, memory, size, ratios(system->second.speeds(), base->second.speeds())});
  }
  return compared;
}

std::vector<int> cpus_for(const SockspeedOptions& options) {
  const std::vector<int> cpus = usable_cpus();
  if (!options.split) return {cpus.back()};
  if (cpus.size() < 2) throw std::runtime_error("sockspeed: --split needs two CPUs");
  return {cpus[cpus.size() - 2], cpus.back()};
}

// One CPU for each pair that sends at the same time. Empty: this measurement is left out.
std::vector<int> crowd_cpus_for(const SockspeedOptions& options) {
  if (options.pairs < 2) return {};
  const std::vector<int> cpus = usable_cpus();
  if (cpus.size() < options.pairs)
    throw std::runtime_error("sockspeed: --pairs " + std::to_string(options.pairs) +
                             " needs as many CPUs; this process may use " +
                             std::to_string(cpus.size()));
  return {cpus.end() - static_cast<std::ptrdiff_t>(options.pairs), cpus.end()};
}

// A kernel or a sandbox may forbid io_uring. The other channels are still measured.
std::vector<std::string> usable_channels() {
  std::vector<std::string> channels = default_channels();
  if (const auto status = ipc::uring::available(); !status) {
    std::cerr << "perigee bench: no io_uring (" << status.error().message()
              << "); measuring without it\n";
    std::erase(channels, "uring");
  }
  return channels;
}

}  // namespace

const std::vector<Comparison>& sockspeed_comparisons() {
  static const std::vector<Comparison> comparisons{
      {"tcp+host-address", "tcp"}, {"pipe", "tcp"}, {"pipe", "unix"}, {"fifo", "tcp"}};
  return comparisons;
}

SockspeedReport run_sockspeed(const SockspeedOptions& options) {
  SockspeedReport report{options, {}};
  if (report.options.channels.empty()) report.options.channels = usable_channels();
  Contests contests;
  for (const std::string& channel : report.options.channels)
    contests.try_emplace(channel, parse_channel(channel), cpus_for(options),
                         crowd_cpus_for(options));
  Progress progress("sockspeed", options.memory.size() * options.sizes.size() * options.rounds);
  for (const Memory memory : options.memory) {
    for (const std::size_t size : options.sizes) {
      for (auto& [channel, contest] : contests) contest.begin();
      for (std::size_t round = 0; round < options.rounds; ++round) {
        progress.step(std::to_string(size) + " octets, " + to_text(memory));
        for (auto& [channel, contest] : contests)
          contest.take_round(round, size, memory, options.time);
      }
      for (const auto& [channel, contest] : contests)
        report.cells[to_text(memory)][channel][size] = contest.cell();
      std::ranges::copy(compare(contests, memory, size), std::back_inserter(report.compared));
    }
  }
  return report;
}

}  // namespace perigee::bench
