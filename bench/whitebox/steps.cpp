// Turns stamps into the steps of a call.
#include "steps.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

using probe::Point;

// The call whose stamps follow `before`.
SideCall call_of(std::uint64_t before, std::span<const Stamp> stamps, const StampClock& clock) {
  SideCall call;
  for (const Stamp& stamp : stamps) {
    const auto ticks = static_cast<double>(stamp.ticks - before);
    call.steps[stamp.point] += ticks * clock.ns_per_tick - clock.stamp_ns;
    call.stamps_ns += clock.stamp_ns;
    before = stamp.ticks;
  }
  return call;
}

void add(Steps& sum, const Steps& steps, double weight) {
  for (const auto& [point, time] : steps) sum[point] += time * weight;
}

SideCall parse_call(const std::string& line) {
  std::istringstream text(line);
  std::string word;
  SideCall call;
  text >> word >> call.stamps_ns;
  int point = 0;
  double time = 0;
  while (text >> point >> time) call.steps[static_cast<Point>(point)] = time;
  if (word != "call" || !text.eof() || call.steps.empty())
    throw std::runtime_error("the line does not have the steps of a call: " + line);
  return call;
}

}  // namespace

std::vector<SideCall> last_calls(std::span<const Stamp> stamps, Point last, std::size_t calls,
                                 const StampClock& clock) {
  std::vector<SideCall> all;
  std::size_t begin = stamps.size();  // the start of the first call is unknown
  for (std::size_t index = 0; index < stamps.size(); ++index) {
    if (stamps[index].point != last) continue;
    if (begin < index)
      all.push_back(
          call_of(stamps[begin - 1].ticks, stamps.subspan(begin, index + 1 - begin), clock));
    begin = index + 1;
  }
  if (all.size() < calls) return {};
  all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(calls));
  return all;
}

std::vector<Stamp> merged(const std::vector<std::vector<Stamp>>& threads) {
  std::vector<Stamp> all;
  for (const std::vector<Stamp>& stamps : threads)
    all.insert(all.end(), stamps.begin(), stamps.end());
  // Stamps with equal ticks keep the order of their thread.
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {},
                    [&all](std::size_t index) { return std::pair(all[index].ticks, index); });
  std::vector<Stamp> sorted;
  sorted.reserve(all.size());
  for (const std::size_t index : order) sorted.push_back(all[index]);
  return sorted;
}

std::string to_text(const std::vector<SideCall>& calls) {
  std::ostringstream text;
  for (const SideCall& call : calls) {
    text << "call " << call.stamps_ns;
    for (const auto& [point, time] : call.steps)
      text << ' ' << static_cast<int>(point) << ' ' << time;
    text << '\n';
  }
  return text.str();
}

std::vector<SideCall> parse_calls(const std::string& text) {
  std::vector<SideCall> calls;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) calls.push_back(parse_call(line));
  if (calls.empty()) throw std::runtime_error("there are no stamps of a call");
  return calls;
}

std::vector<CallSteps> join(const std::vector<SideCall>& client,
                            const std::vector<SideCall>& server) {
  if (client.size() != server.size())
    throw std::runtime_error("client and server have recorded different numbers of calls");
  std::vector<CallSteps> calls;
  for (std::size_t index = 0; index < client.size(); ++index) {
    calls.push_back({client[index].steps, server[index].steps});
    calls.back().client[Point::received] -= server[index].stamps_ns;
  }
  return calls;
}

double round_trip(const Steps& client) {
  double time = 0;
  for (const auto& [point, step] : client)
    if (point != Point::call_begins) time += step;  // call_begins is the time between two calls
  return time;
}

CallSteps medians(const std::vector<CallSteps>& calls) {
  CallSteps result;
  for (Steps CallSteps::* const side : {&CallSteps::client, &CallSteps::server}) {
    std::map<Point, std::vector<double>> values;
    for (const CallSteps& call : calls)
      for (const auto& [point, step] : call.*side) values[point].push_back(step);
    for (auto& [point, steps] : values) {
      steps.resize(calls.size());  // zeros for the calls without this step
      std::ranges::sort(steps);
      (result.*side)[point] = steps[steps.size() / 2];
    }
  }
  return result;
}

CallSteps middle_means(std::vector<CallSteps> calls) {
  std::ranges::sort(calls, {}, [](const CallSteps& call) { return round_trip(call.client); });
  const std::size_t quarter = calls.size() / 4;
  const auto middle = std::span(calls).subspan(quarter, calls.size() - 2 * quarter);
  CallSteps means;
  for (const CallSteps& call : middle) {
    add(means.client, call.client, 1.0 / static_cast<double>(middle.size()));
    add(means.server, call.server, 1.0 / static_cast<double>(middle.size()));
  }
  return means;
}

}  // namespace perigee::bench
