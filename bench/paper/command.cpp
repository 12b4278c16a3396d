// Adds the command `perigee bench paper` with its options.
#include "harness/command.h"

#include "harness/document.h"
#include "paper.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace perigee::bench {
namespace {

struct PaperSettings {
  std::vector<std::string> keys;
  bool quick = false;
  std::string folder = "paper";
  std::string from;
};

std::vector<paper::Paper> chosen_papers(const std::vector<std::string>& keys) {
  std::vector<paper::Paper> papers = paper::all_papers();
  if (!keys.empty())
    std::erase_if(papers, [&keys](const paper::Paper& paper) {
      return std::ranges::find(keys, paper.key) == keys.end();
    });
  return papers;
}

std::vector<std::string> all_keys() {
  std::vector<std::string> keys;
  for (const paper::Paper& paper : paper::all_papers()) keys.push_back(paper.key);
  return keys;
}

paper::Report report_of(const PaperSettings& settings) {
  std::vector<paper::Paper> papers = chosen_papers(settings.keys);
  if (settings.from.empty())
    return run_papers(std::move(papers),
                      settings.quick ? paper::Extent::quick : paper::Extent::full);
  const nlohmann::json document = read_report(settings.from);
  try {
    return read_papers(std::move(papers), document);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(settings.from + ": " + error.what());
  }
}

void run_paper_command(const PaperSettings& settings) {
  const std::filesystem::path folder = settings.folder;
  std::filesystem::create_directories(folder);
  const std::string page = (folder / "paper.html").string();
  const std::string json = (folder / "paper.json").string();
  // A folder that cannot be written is an error before the measurements.
  for (const std::string& file : {page, json}) check_output_file(file);
  const paper::Report report = report_of(settings);
  write_file(page, to_html(report));
  write_file(json, to_json(report));
  std::cout << to_table(report) << "wrote " << page << " and " << json << '\n' << std::flush;
  const std::vector<std::string> failures = failures_of(report);
  if (failures.empty()) return;
  for (const std::string& failure : failures) std::cerr << "not run: " << failure << '\n';
  throw std::runtime_error("not everything was measured: see " + page);
}

}  // namespace

void add_paper_command(CLI::App& bench) {
  auto settings = std::make_shared<PaperSettings>();  // lives as long as the callback below
  CLI::App* command = bench.add_subcommand(
      "paper", "All experiments of four papers, as one page that compares the findings");
  command->add_option("--paper", settings->keys, "Only this paper; may be given several times")
      ->check(CLI::IsMember(all_keys()));
  CLI::Option* quick = command->add_flag("--quick", settings->quick,
                                         "Fewer points and rounds: under 5 minutes on two CPUs");
  command->add_option("--out", settings->folder, "Write paper.html and paper.json to this folder")
      ->capture_default_str();
  command
      ->add_option("--from", settings->from,
                   "Write the page again from the paper.json of an earlier run; measure nothing")
      ->excludes(quick);
  command->callback([settings] { run_paper_command(*settings); });
}

}  // namespace perigee::bench
