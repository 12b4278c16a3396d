// The reports of `perigee bench whitebox` when steps are shorter than a probe.
#include "whitebox/whitebox.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace perigee::bench {
namespace {

using nlohmann::json;

/// A call of 1 us. The steps `Parameter marshal` and `POA demux` are shorter than a probe, which
/// takes 10 ns: after the subtraction of a probe, they are below 0.
WhiteboxReport report_of_short_steps() {
  WhiteboxResult result;
  result.strategy = "thread-per-connection";
  result.protocol = "GIOP TCP";
  result.workload = "void";
  result.stamp_ns = 10;
  result.steps.client = {{probe::Point::initialised, 100},
                         {probe::Point::arguments_encoded, -4},
                         {probe::Point::sent, 904}};
  result.steps.server = {{probe::Point::servant_found, 30}, {probe::Point::adapter_found, -3}};
  WhiteboxReport report;
  report.options.workloads = {"void"};
  report.results = {result};
  return report;
}

json row_of(const json& rows, const std::string& activity) {
  for (const json& row : rows)
    if (row.at("activity") == activity) return row;
  return {};
}

/// The line of a table that begins with this name.
std::string line_of(const std::string& table, const std::string& name) {
  const std::size_t begin = table.find("\n  " + name) + 1;
  return table.substr(begin, table.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE("a step that is shorter than a probe is marked, and its time is not below zero") {
  const json result = json::parse(to_json(report_of_short_steps())).at("results").at(0);
  CHECK(result.at("resolution_ns") == 10);
  for (const json& row : {row_of(result.at("client"), "Parameter marshal"),
                          row_of(result.at("server"), "POA demux")}) {
    CHECK(row.at("ns") == 0);
    CHECK(row.at("below_resolution") == true);
  }
  const json longer = row_of(result.at("server"), "Servant demux");
  CHECK(longer.at("ns") == 30);
  CHECK(longer.at("below_resolution") == false);
}

TEST_CASE("the table shows the time of a probe as the limit of a shorter step") {
  const std::string table = to_table(report_of_short_steps());
  CHECK(line_of(table, "Parameter marshal").ends_with("< 0.010              0.74"));
  CHECK(line_of(table, "POA demux").ends_with("< 0.010              1.39"));
  CHECK(line_of(table, "Servant demux").ends_with("0.030              4.60"));
}

TEST_CASE("a layer with only short steps takes no time, and the layers add up to the call") {
  const WhiteboxReport report = report_of_short_steps();
  const WhiteboxResult& result = report.results.front();
  CHECK(time_of(Layer::marshalling, result) == 0);
  CHECK(time_of(Layer::orb, result) == 100 + 30 - 3);
  const json layers = json::parse(to_json(report)).at("results").at(0).at("layers_ns");
  CHECK(layers.size() == 5);
  double sum = 0;
  for (const json& ns : layers) sum += ns.get<double>();
  CHECK(sum == round_trip(result.steps.client));
}

TEST_CASE("the instructions of a step are in the report if they were counted") {
  WhiteboxReport report = report_of_short_steps();
  report.options.counts = true;
  report.results.front().instructions.server = {{probe::Point::adapter_found, 7}};
  const json result = json::parse(to_json(report)).at("results").at(0);
  CHECK(row_of(result.at("server"), "POA demux").at("instructions") == 7);
  const std::string table = to_table(report);
  const std::string counts = table.substr(table.find("Instructions of the server, void"));
  CHECK(line_of(counts, "POA demux").ends_with(" 7"));
}

}  // namespace perigee::bench
