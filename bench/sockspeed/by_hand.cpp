// Runs one side alone. The user starts both sides, on one machine or on two machines.
#include "harness/json.h"
#include "harness/page.h"
#include "sockspeed.h"
#include <perigee/ipc/fifo.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ostream>
#include <utility>

namespace perigee::bench {
namespace {

constexpr double mib = 1024 * 1024;

double octets_per_s(const Child::Received& run) {
  const double seconds = std::chrono::duration<double>(run.outcome.end - run.outcome.begin).count();
  return static_cast<double>(run.outcome.transfers) * static_cast<double>(run.run.size) / seconds;
}

double cpu_ns(const Child::Received& run) {
  return static_cast<double>(run.outcome.cpu.count()) / static_cast<double>(run.outcome.transfers);
}

std::string line_of(const Child::Received& run) {
  return fmt::format(
      "{:>9} octets, {:<9} {:>10} transfers {:>10.1f} MiB/s {:>10.3f} us CPU a transfer",
      run.run.size, to_text(run.run.memory), run.outcome.transfers, octets_per_s(run) / mib,
      cpu_ns(run) / 1000);
}

SockspeedSide side_of(const std::string& side, const SockspeedByHand& options) {
  return {side, to_text(options.channel), options.version == Version::c ? "c" : "wrapper", {}};
}

void add(SockspeedSide& side, Child::Received run, std::ostream& log) {
  log << line_of(run) << std::endl;
  side.runs.push_back(std::move(run));
}

constexpr const char* method =
    "one side alone; the time of a run ends when the child has received its last block; CPU time "
    "is that of this side";

}  // namespace

SockspeedSide run_parent_by_hand(const SockspeedByHand& options, std::ostream& log) {
  ipc::ignore_sigpipe();
  const auto rendezvous = open_rendezvous(options.channel, options.version, options.address);
  log << "waiting for: perigee bench sockspeed --child " << to_text(options.channel) << " --at "
      << rendezvous->address() << std::endl;
  if (options.channel.medium == Medium::pipe)
    log << "press Enter when the child has started" << std::endl;
  const auto parent = accept_child(*rendezvous, options.channel.medium);
  SockspeedSide side = side_of("parent", options);
  for (const std::size_t size : options.sizes) {
    const Run run{size, options.memory, options.time, true};
    add(side, {run, parent->send(run)}, log);
  }
  return side;
}

SockspeedSide run_child_by_hand(const SockspeedByHand& options, std::ostream& log) {
  const auto child = join(options.channel, options.version, options.address);
  SockspeedSide side = side_of("child", options);
  while (auto received = child->receive()) add(side, std::move(*received), log);
  log << "no octets were lost or changed" << std::endl;
  return side;
}

std::string to_json(const SockspeedSide& side) {
  nlohmann::json document = begin_report("sockspeed " + side.side);
  document["channel"] = side.channel;
  document["code"] = side.version;
  document["results"] = nlohmann::json::array();
  for (const Child::Received& run : side.runs)
    document["results"].push_back({{"block_size", run.run.size},
                                   {"memory", to_text(run.run.memory)},
                                   {"transfers", run.outcome.transfers},
                                   {"time_ns", (run.outcome.end - run.outcome.begin).count()},
                                   {"octets_per_second", octets_per_s(run)},
                                   {"cpu_ns", cpu_ns(run)}});
  return document.dump(2) + "\n";
}

std::string to_html(const SockspeedSide& side) {
  Page page("perigee bench sockspeed, " + side.side);
  page.note(side.channel + ", " + side.version + ": " + method);
  std::vector<std::vector<std::string>> rows;
  for (const Child::Received& run : side.runs)
    rows.push_back({octets_text(static_cast<double>(run.run.size)), to_text(run.run.memory),
                    std::to_string(run.outcome.transfers),
                    fmt::format("{:.1f}", octets_per_s(run) / mib),
                    fmt::format("{:.3f}", cpu_ns(run) / 1000)});
  page.table({"block", "memory", "transfers", "MiB/s", "CPU µs a transfer"}, rows);
  return page.html();
}

}  // namespace perigee::bench
