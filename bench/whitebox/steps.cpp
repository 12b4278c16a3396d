// From stamps to the steps of a call.
#include "steps.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace perigee::bench {
namespace {

using probe::Point;

// The steps of the call whose stamps are behind `before`.
Steps steps_of(std::uint64_t before, std::span<const Stamp> stamps) {
  Steps steps;
  for (const Stamp& stamp : stamps) {
    steps[stamp.point] += static_cast<double>(stamp.ticks - before);
    before = stamp.ticks;
  }
  return steps;
}

std::vector<Steps> split_into_calls(std::span<const Stamp> stamps, Point last) {
  std::vector<Steps> calls;
  std::size_t begin = stamps.size();  // nothing is known of the first call's begin
  for (std::size_t index = 0; index < stamps.size(); ++index) {
    if (stamps[index].point != last) continue;
    if (begin < index)
      calls.push_back(steps_of(stamps[begin - 1].ticks, stamps.subspan(begin, index + 1 - begin)));
    begin = index + 1;
  }
  return calls;
}

double mean_of_middle_half(std::vector<double>& samples) {
  std::ranges::sort(samples);
  const std::size_t quarter = samples.size() / 4;
  const auto middle = std::span(samples).subspan(quarter, samples.size() - 2 * quarter);
  return std::accumulate(middle.begin(), middle.end(), 0.0) / static_cast<double>(middle.size());
}

}  // namespace

Steps middle_steps(std::span<const Stamp> stamps, Point last, std::size_t calls) {
  const std::vector<Steps> all = split_into_calls(stamps, last);
  if (all.size() < calls) return {};
  std::map<Point, std::vector<double>> samples;
  for (const Steps& call : std::span(all).last(calls))
    for (const auto& [point, ticks] : call) samples[point].push_back(ticks);
  Steps steps;
  for (auto& [point, ticks] : samples) {
    ticks.resize(calls);  // steps that a call did not have took it no time
    steps[point] = mean_of_middle_half(ticks);
  }
  return steps;
}

std::string to_line(const Steps& steps) {
  std::ostringstream text;
  text << "steps";
  for (const auto& [point, time] : steps) text << ' ' << static_cast<int>(point) << ' ' << time;
  return text.str();
}

Steps parse_steps(const std::string& line) {
  std::istringstream text(line);
  std::string word;
  text >> word;
  Steps steps;
  int point = 0;
  double time = 0;
  while (text >> point >> time) steps[static_cast<Point>(point)] = time;
  if (word != "steps" || !text.eof() || steps.empty())
    throw std::runtime_error("no steps of a call: " + line);
  return steps;
}

}  // namespace perigee::bench
