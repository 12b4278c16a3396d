// Adds the command `perigee bench compare`: its options, and the files that it reads and writes.
#include "harness/command.h"

#include "compare.h"
#include "harness/document.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <stdexcept>

namespace perigee::bench {
namespace {

struct CompareSettings {
  std::string before;
  std::string after;
  std::string json_file;
  bool all = false;
};

compare::Report comparison_of(const CompareSettings& settings) {
  const nlohmann::json before = read_report(settings.before);
  const nlohmann::json after = read_report(settings.after);
  try {
    return compare::compare_reports(before, after);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(settings.before + " and " + settings.after + ": " + error.what());
  }
}

void run_compare_command(const CompareSettings& settings) {
  const compare::Report report = comparison_of(settings);
  if (settings.json_file == "-") {
    std::cout << one_line(to_json(report)) << std::flush;
    return;
  }
  std::cout << to_table(report, settings.all ? compare::Rows::all : compare::Rows::changed)
            << std::flush;
  if (!settings.json_file.empty()) write_file(settings.json_file, to_json(report));
}

}  // namespace

void add_compare_command(CLI::App& bench) {
  auto settings = std::make_shared<CompareSettings>();  // lives as long as the callback below
  CLI::App* command = bench.add_subcommand(
      "compare", "Show which values differ between two runs of an experiment by more than chance");
  command->add_option("before", settings->before, "The JSON report of the first run")->required();
  command->add_option("after", settings->after, "The JSON report of the second run")->required();
  command->add_flag("--all", settings->all, "Show the values without a change, too");
  command->add_option("--json", settings->json_file,
                      "Write the comparison to this file; -: to standard output, as one line");
  command->callback([settings] { run_compare_command(*settings); });
}

}  // namespace perigee::bench
