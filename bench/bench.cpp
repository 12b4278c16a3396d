// `perigee bench …`: options of the experiments, and where their results go.
#include "bench.h"

#include "codegen/codegen.h"
#include "connections/connections.h"
#include "crowd/crowd.h"
#include "cubit/cubit.h"
#include "cubit/perigee.h"
#include "cubit/raw.h"
#include "structs/perigee.h"
#include "structs/structs.h"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace perigee::bench {
namespace {

struct Output {
  std::string json_file;
  std::string html_file;
};

void write_file(const std::string& name, const std::string& text) {
  std::ofstream file(name);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + name);
}

void add_crowd(CLI::App& bench) {
  struct Settings {
    CrowdOptions options;
    Output output;
  };
  auto settings = std::make_shared<Settings>();  // lives as long as the callback below
  CrowdOptions& options = settings->options;
  CLI::App* command = bench.add_subcommand(
      "crowd", "memory of idle connections, and busy ones beside peers that do not read");
  command->add_option("--rounds", options.rounds, "rounds; 15 or more for a claim")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--idle", options.idle, "idle connections")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--busy", options.busy, "busy connections")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--calls", options.calls, "calls a measurement, over all busy connections")
      ->check(CLI::Range(1000, 10000000))
      ->capture_default_str();
  command->add_option("--strategy", options.strategies, "thread strategies of the server")
      ->capture_default_str();
  command->add_option("--json", settings->output.json_file, "write the results to this file");
  command->callback([settings] {
    const CrowdReport report = run_crowd(settings->options);
    std::cout << to_table(report);
    if (!settings->output.json_file.empty())
      write_file(settings->output.json_file, to_json(report));
  });
}

void add_crowd_role(CLI::App& bench) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = bench.add_subcommand("crowd-role", "");
  command->group("");  // not in the help
  command->add_option("role", *words)->expected(2, 4)->required();
  command->callback([words] {
    const auto number = [&words](std::size_t index) { return std::stoul(words->at(index)); };
    const std::string& role = words->front();
    int status = 1;
    if (role == "server")
      status = run_perigee_server(words->at(1), {"-ORBServerConnectionsMax", "1000000"});
    if (role == "idle") status = run_crowd_idle(words->at(1), number(2));
    if (role == "busy") status = run_crowd_busy(words->at(1), number(2));
    if (role == "disturbers") status = run_crowd_disturbers(words->at(1), number(2), number(3));
    if (status != 0) throw std::runtime_error("role failed: " + role);
  });
}

// Beside the perigee program: in the build tree as in the install prefix.
std::string find_omniorb_program(const std::string& name) {
  const auto folder = std::filesystem::path(own_executable()).parent_path();
  for (const char* place : {".", "../libexec/perigee", "../../bench"}) {
    const auto candidate = folder / place / name;
    if (std::filesystem::exists(candidate)) return std::filesystem::canonical(candidate);
  }
  std::cerr << "perigee bench: this build has no omniORB peer (install libomniorb4-dev and "
               "omniidl, then build again); measuring without it\n";
  return {};
}

void run_cubit_command(CubitOptions options, bool instructions, const Output& output) {
  if (!options.floor_only) options.omniorb_program = find_omniorb_program("cubit_omniorb");
  CubitReport report = run_cubit(options);
  if (instructions) count_instructions(report);
  std::cout << to_table(report);
  if (!output.json_file.empty()) write_file(output.json_file, to_json(report));
  if (!output.html_file.empty()) write_file(output.html_file, to_html(report));
}

void add_cubit(CLI::App& bench) {
  struct Settings {
    CubitOptions options;
    Output output;
    bool quick = false;
    bool instructions = false;
  };
  auto settings = std::make_shared<Settings>();  // lives as long as the callback below
  CLI::App* command = bench.add_subcommand(
      "cubit", "two-way calls of all basic kinds, beside a raw TCP ping-pong and omniORB");
  command->add_option("--rounds", settings->options.rounds, "rounds; 30 or more for a claim")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--calls", settings->options.calls, "calls per workload, system and round")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command->add_option("--workload", settings->options.workloads, "only these workloads")
      ->check(CLI::IsMember(cubit_workloads()));
  command->add_flag("--split", settings->options.split, "server and client on two CPUs");
  command->add_flag("--no-peers", settings->options.floor_only, "leave other ORBs out");
  command->add_flag("--quick", settings->quick, "a few rounds of four workloads");
  command->add_flag("--instructions", settings->instructions,
                    "count user-space instructions per call with callgrind (slow)");
  command->add_option("--json", settings->output.json_file, "write the results to this file");
  command->add_option("--html", settings->output.html_file, "write a page with figures");
  command->callback([settings] {
    if (settings->quick) {
      settings->options.rounds = 7;
      settings->options.workloads = {"void", "long", "struct", "octets4096"};
    }
    run_cubit_command(settings->options, settings->instructions, settings->output);
  });
}

// What the experiment starts as its own child processes.
void add_cubit_role(CLI::App& bench) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = bench.add_subcommand("cubit-role", "");
  command->group("");  // not in the help
  command->add_option("role", *words)->expected(1, 2)->required();
  command->callback([words] {
    const std::string role = words->front();
    const std::string argument = words->size() > 1 ? words->back() : "";
    int status = 1;
    if (role == "raw-server") status = run_raw_server();
    if (role == "raw-client") status = run_raw_client(argument);
    if (role == "perigee-server") status = run_perigee_server(argument);
    if (role == "perigee-client") status = run_perigee_client(argument);
    if (status != 0) throw std::runtime_error("role failed: " + role);
  });
}

void add_structs(CLI::App& bench) {
  struct Settings {
    StructsOptions options;
    Output output;
  };
  auto settings = std::make_shared<Settings>();  // lives as long as the callback below
  CLI::App* command = bench.add_subcommand(
      "structs", "CPU time of marshalling structs, alone and in calls, beside omniORB");
  command->add_option("--rounds", settings->options.rounds, "rounds; 30 or more for a claim")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--calls", settings->options.calls, "calls per workload, system and round")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--workload", settings->options.workloads, "only these workloads")
      ->check(CLI::IsMember(structs_workloads()));
  command->add_option("--json", settings->output.json_file, "write the results to this file");
  command->callback([settings] {
    settings->options.omniorb_program = find_omniorb_program("structs_omniorb");
    const StructsReport report = run_structs(settings->options);
    std::cout << to_table(report);
    if (!settings->output.json_file.empty())
      write_file(settings->output.json_file, to_json(report));
  });
}

void add_structs_role(CLI::App& bench) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = bench.add_subcommand("structs-role", "");
  command->group("");  // not in the help
  command->add_option("role", *words)->expected(1, 2)->required();
  command->callback([words] {
    const bool is_server = words->front() == "server";
    if ((is_server ? run_structs_server() : run_structs_client(words->back())) != 0)
      throw std::runtime_error("role failed: " + words->front());
  });
}

void add_connections(CLI::App& bench) {
  struct Settings {
    ConnectionsOptions options;
    Output output;
  };
  auto settings = std::make_shared<Settings>();  // lives as long as the callback below
  CLI::App* command = bench.add_subcommand(
      "connections", "many connections at once, CPU time per call, beside a raw epoll server");
  command->add_option("--rounds", settings->options.rounds, "rounds; 30 or more for a claim")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--connections", settings->options.connections, "connections to each server")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--calls", settings->options.calls, "calls per system and round")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command->add_option("--system", settings->options.systems, "only these systems, and raw");
  command->add_option("--json", settings->output.json_file, "write the results to this file");
  command->callback([settings] {
    settings->options.omniorb_program = find_omniorb_program("cubit_omniorb");
    const ConnectionsReport report = run_connections(settings->options);
    std::cout << to_table(report);
    if (!settings->output.json_file.empty())
      write_file(settings->output.json_file, to_json(report));
  });
}

void add_connections_role(CLI::App& bench) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = bench.add_subcommand("connections-role", "");
  command->group("");  // not in the help
  command->add_option("role", *words)->expected(2, 3)->required();
  command->callback([words] {
    const bool is_server = words->front() == "server";
    if ((is_server ? run_connections_server(std::stoul(words->back()))
                   : run_connections_client(words->at(1), std::stoul(words->back()))) != 0)
      throw std::runtime_error("role failed: " + words->front());
  });
}

// Beside the perigee program: in the build tree as in the install prefix.
std::string find_idl_compiler() {
  const auto folder = std::filesystem::path(own_executable()).parent_path();
  for (const char* place : {"perigee-idl", "../../src/idlc/program/perigee-idl"})
    if (std::filesystem::exists(folder / place)) return std::filesystem::canonical(folder / place);
  return "perigee-idl";
}

void add_codegen(CLI::App& bench) {
  struct Settings {
    CodegenOptions options;
    Output output;
  };
  auto settings = std::make_shared<Settings>();  // lives as long as the callback below
  CodegenOptions& options = settings->options;
  options.perigee_idl = find_idl_compiler();
  options.include_folder = PERIGEE_BENCH_INCLUDE;
  options.idl_files = {PERIGEE_BENCH_IDL, "/usr/share/idl/omniORB/COS/CosNaming.idl"};
  CLI::App* command = bench.add_subcommand(
      "codegen", "lines, object code and compile time of generated code, beside omniidl's");
  command->add_option("--rounds", options.rounds, "rounds")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--compiler", options.compiler, "the C++ compiler")->capture_default_str();
  command->add_option("--idl", options.idl_files, "IDL files")->capture_default_str();
  command->add_option("--include", options.include_folder, "the folder of Perigee's headers")
      ->capture_default_str();
  command->add_option("--json", settings->output.json_file, "write the results to this file");
  command->callback([settings] {
    const std::vector<CodegenCost> costs = run_codegen(settings->options);
    std::cout << to_table(settings->options, costs);
    if (!settings->output.json_file.empty()) write_file(settings->output.json_file, to_json(costs));
  });
}

}  // namespace

void add_bench_command(CLI::App& tool) {
  CLI::App* bench = tool.add_subcommand("bench", "measure Perigee beside its floors and peers");
  bench->require_subcommand(1);
  add_cubit(*bench);
  add_cubit_role(*bench);
  add_structs(*bench);
  add_connections(*bench);
  add_connections_role(*bench);
  add_crowd(*bench);
  add_crowd_role(*bench);
  add_codegen(*bench);
  add_structs_role(*bench);
}

}  // namespace perigee::bench
