// Generates the code of each IDL file once. Each round compiles all sources and measures the time.
#include "codegen.h"

#include "harness/json.h"
#include "harness/machine.h"
#include "harness/page.h"
#include "harness/process.h"
#include "harness/progress.h"
#include "harness/temporary_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace perigee::bench {
namespace {

namespace fs = std::filesystem;

double run(const std::vector<std::string>& command) {
  const CommandResult result = run_command(command);
  if (result.status != 0) throw std::runtime_error("failed: " + command.front());
  return std::chrono::duration<double>(result.cpu_time).count();
}

std::string read(const fs::path& file) {
  std::ifstream input(file);
  if (!input) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(input), {}};
}

// Gives the module CosNaming another name in the copy: omniORB's own headers declare this module,
// and the generated code would clash with them.
void copy_idl(const fs::path& from, const fs::path& to) {
  std::string text = read(from);
  for (std::size_t at = 0; (at = text.find("CosNaming", at)) != std::string::npos;)
    text.replace(at, 9, "CosNames_");
  std::ofstream(to) << text;
}

std::size_t line_count(const fs::path& file) {
  const std::string text = read(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The octets of the sections text and data, as size(1) counts them.
std::size_t object_octets(const fs::path& object) {
  Process size({{"/usr/bin/size", object.string()}, -1});
  size.read_line();
  std::istringstream line(size.read_line());
  std::size_t text = 0;
  std::size_t data = 0;
  line >> text >> data;
  return text + data;
}

// One IDL file: the constructor generates its sources, and `compile` compiles one of them.
class Subject {
 public:
  Subject(const CodegenOptions& options, const fs::path& idl, const fs::path& folder)
      : options_(options), folder_(folder / idl.stem()), name_(idl.stem().string()) {
    fs::create_directories(folder_);
    const fs::path copy = folder_ / idl.filename();
    copy_idl(idl, copy);
    run({options.perigee_idl, "--one-source", "--output-dir", folder_.string(), copy.string()});
    run({options.omniidl, "-bcxx", "-Wbuse_quotes", "-C" + folder_.string(), copy.string()});
    std::ofstream(folder_ / "COS_sysdep.h") << "// for DLLs only\n";
  }

  double compile(const std::string& ending) const {
    const fs::path source = folder_ / (name_ + ending);
    return run({options_.compiler, "-std=c++20", "-O2", "-I" + options_.include_folder,
                "-I" + folder_.string(), "-c", source.string(), "-o", source.string() + ".o"});
  }
  std::size_t octets(const std::string& ending) const {
    return object_octets(folder_ / (name_ + ending + ".o"));
  }
  std::size_t lines(const std::string& ending) const {
    return line_count(folder_ / (name_ + ending));
  }
  const std::string& name() const { return name_; }

 private:
  const CodegenOptions& options_;
  fs::path folder_;
  std::string name_;
};

struct Times {
  std::vector<double> client, server, both, peer, client_ratio, both_ratio;

  void add(const Subject& subject) {
    client.push_back(subject.compile("C.cpp"));
    both.push_back(subject.compile("All.cpp"));
    peer.push_back(subject.compile("SK.cc"));
    server.push_back(subject.compile("S.cpp"));
    client_ratio.push_back(client.back() / peer.back());
    both_ratio.push_back(both.back() / peer.back());
  }
};

CodegenCost summarise(const Subject& subject, const Times& times) {
  CodegenCost cost;
  cost.idl = subject.name();
  for (const char* ending : {"C.h", "C.cpp", "S.h", "S.cpp"}) cost.lines += subject.lines(ending);
  cost.peer_lines = subject.lines(".hh") + subject.lines("SK.cc");
  cost.octets = subject.octets("All.cpp");
  cost.peer_octets = subject.octets("SK.cc");
  cost.client_s = median(times.client);
  cost.server_s = median(times.server);
  cost.both_s = median(times.both);
  cost.peer_s = median(times.peer);
  cost.client_ratio = median_with_interval(times.client_ratio);
  cost.both_ratio = median_with_interval(times.both_ratio);
  return cost;
}

}  // namespace

CodegenReport run_codegen(const CodegenOptions& options) {
  const TemporaryFolder folder;
  std::vector<Subject> subjects;
  for (const std::string& idl : options.idl_files)
    subjects.emplace_back(options, idl, folder.path());
  std::vector<Times> times(subjects.size());
  Progress progress("codegen", options.rounds * subjects.size());
  for (std::size_t round = 0; round < options.rounds; ++round)
    for (std::size_t index = 0; index < subjects.size(); ++index) {
      progress.step(subjects[index].name());
      times[index].add(subjects[index]);
    }
  CodegenReport report{options, {}};
  for (std::size_t index = 0; index < subjects.size(); ++index)
    report.costs.push_back(summarise(subjects[index], times[index]));
  return report;
}

std::string to_table(const CodegenReport& report) {
  std::string text = fmt::format(
      "perigee bench codegen: {}\n{} -std=c++20 -O2; CPU seconds, medians of {} rounds; ratios to "
      "omniidl's SK.cc, which holds both sides: medians, {}\n",
      machine_description(), report.options.compiler, report.options.rounds,
      interval_text(report.options.rounds));
  for (const CodegenCost& cost : report.costs)
    text += fmt::format(
        "{}\n  lines    {:>8} perigee-idl {:>8} omniidl\n  octets   {:>8} {:>20}\n"
        "  seconds  {:>8.2f} both {:>15.2f}; C.cpp alone {:.2f}, S.cpp alone {:.2f}\n"
        "  ratio    {:>8.2f} [{:.2f}, {:.2f}] C.cpp alone   {:.2f} [{:.2f}, {:.2f}] both\n",
        cost.idl, cost.lines, cost.peer_lines, cost.octets, cost.peer_octets, cost.both_s,
        cost.peer_s, cost.client_s, cost.server_s, cost.client_ratio.value, cost.client_ratio.low,
        cost.client_ratio.high, cost.both_ratio.value, cost.both_ratio.low, cost.both_ratio.high);
  return text;
}

std::string to_json(const CodegenReport& report) {
  nlohmann::json document = begin_report("codegen");
  document["compiler"] = report.options.compiler;
  document["rounds"] = report.options.rounds;
  for (const CodegenCost& cost : report.costs)
    document["results"][cost.idl] = {{"lines", cost.lines},
                                     {"omniidl_lines", cost.peer_lines},
                                     {"octets", cost.octets},
                                     {"omniidl_octets", cost.peer_octets},
                                     {"client_s", cost.client_s},
                                     {"server_s", cost.server_s},
                                     {"both_s", cost.both_s},
                                     {"omniidl_s", cost.peer_s},
                                     {"client_ratio", to_json(cost.client_ratio)},
                                     {"both_ratio", to_json(cost.both_ratio)}};
  return document.dump(2) + "\n";
}

std::string to_html(const CodegenReport& report) {
  Page page("perigee bench codegen");
  page.note(
      fmt::format("{} -std=c++20 -O2; medians of {} rounds; ratios to omniidl's SK.cc, which "
                  "holds both sides.",
                  report.options.compiler, report.options.rounds));
  for (const CodegenCost& cost : report.costs) {
    page.heading(cost.idl);
    page.chart(BarChart{.label = "CPU seconds to compile; the line is omniidl",
                        .bars = {{"C.cpp alone", exactly(cost.client_s)},
                                 {"S.cpp alone", exactly(cost.server_s)},
                                 {"both sides", exactly(cost.both_s)},
                                 {"omniidl, both sides", exactly(cost.peer_s)}},
                        .reference = cost.peer_s});
    page.table(
        {"", "perigee-idl", "omniidl"},
        {{"lines", std::to_string(cost.lines), std::to_string(cost.peer_lines)},
         {"octets of the object", std::to_string(cost.octets), std::to_string(cost.peer_octets)}});
    page.note("Ratio of compile times: C.cpp alone " + to_text(cost.client_ratio) + ", both " +
              to_text(cost.both_ratio));
  }
  return page.html();
}

}  // namespace perigee::bench
