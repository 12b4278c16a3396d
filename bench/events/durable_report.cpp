// Writes the part about durable channels as text, as JSON and for a page.
#include "durable.h"
#include "harness/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace perigee::bench {
namespace {

struct Column {
  const char* name;  ///< with the unit
  double DurablePass::* value;
  int digits;
};

constexpr Column columns[] = {{"events per second", &DurablePass::rate, 0},
                              {"CPU of an event: us", &DurablePass::cpu_us, 1},
                              {"p99: ms", &DurablePass::p99_ms, 2}};

struct System {
  const char* name;
  DurablePass DurableSample::* pass;
};

constexpr System systems[] = {{"C program", &DurableSample::floor},
                              {"channel", &DurableSample::channel}};

Estimate value_of(const DurablePoint& point, const System& system, const Column& column) {
  std::vector<double> values;
  for (const DurableSample& sample : point.samples)
    values.push_back(sample.*system.pass.*column.value);
  return median_with_interval(values);
}

Estimate ratio_of(const DurablePoint& point) {
  std::vector<double> ratios;
  for (const DurableSample& sample : point.samples)
    ratios.push_back(sample.channel.rate / sample.floor.rate);
  return median_with_interval(ratios);
}

const char* store_of(const DurablePoint& point) {
  return point.store == DurablePoint::Store::sqlite ? "SQLite" : "NATS";
}

std::string name_of(const DurablePoint& point) {
  return fmt::format("{}, {} push{} at once", store_of(point), point.at_once,
                     point.at_once == 1 ? "" : "es");
}

std::vector<std::string> cells_of(const DurablePoint& point, const System& system) {
  std::vector<std::string> cells{system.name};
  for (const Column& column : columns)
    cells.push_back(fmt::format("{:.{}f}", value_of(point, system, column).value, column.digits));
  cells.push_back(&system == &systems[0] ? "" : to_text(ratio_of(point)));
  return cells;
}

std::vector<std::string> heads() {
  std::vector<std::string> names{""};
  for (const Column& column : columns) names.emplace_back(column.name);
  names.emplace_back("rate / C program");
  return names;
}

std::string line_of(const std::vector<std::string>& cells) {
  return fmt::format("  {:<12}{:>20}{:>22}{:>10}  {}\n", cells[0], cells[1], cells[2], cells[3],
                     cells[4]);
}

}  // namespace

std::string durable_table(const std::vector<DurablePoint>& points) {
  std::string text;
  for (const DurablePoint& point : points) {
    text += "durable channel in " + name_of(point) + '\n' + line_of(heads());
    for (const System& system : systems) text += line_of(cells_of(point, system));
  }
  return text;
}

nlohmann::json durable_json(const std::vector<DurablePoint>& points) {
  nlohmann::json json = nlohmann::json::array();
  for (const DurablePoint& point : points) {
    nlohmann::json entry{
        {"store", store_of(point)}, {"at_once", point.at_once}, {"events", point.events}};
    for (const System& system : systems)
      entry["systems"].push_back({{"name", system.name},
                                  {"rate", to_json(value_of(point, system, columns[0]))},
                                  {"cpu_us", to_json(value_of(point, system, columns[1]))},
                                  {"p99_ms", to_json(value_of(point, system, columns[2]))}});
    entry["ratio"] = to_json(ratio_of(point));
    json.push_back(std::move(entry));
  }
  return json;
}

void add_durable(Page& page, const std::vector<DurablePoint>& points) {
  for (const DurablePoint& point : points) {
    page.heading("durable channel in " + name_of(point));
    std::vector<std::vector<std::string>> cells;
    for (const System& system : systems) cells.push_back(cells_of(point, system));
    page.table(heads(), cells);
  }
}

}  // namespace perigee::bench
