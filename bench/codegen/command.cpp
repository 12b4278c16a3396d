// `perigee bench codegen`: its options.
#include "harness/command.h"

#include "codegen.h"
#include "harness/process.h"

#include <filesystem>
#include <memory>

namespace perigee::bench {
namespace {

// Looks for perigee-idl near the program perigee, in the install prefix and in the build tree.
std::string find_idl_compiler() {
  const auto folder = std::filesystem::path(own_executable()).parent_path();
  for (const char* place : {"perigee-idl", "../../src/idlc/program/perigee-idl"})
    if (std::filesystem::exists(folder / place)) return std::filesystem::canonical(folder / place);
  return "perigee-idl";
}

}  // namespace

void add_codegen_command(CLI::App& bench) {
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
      "codegen", "Lines, object code and compile time of generated code, compared with omniidl");
  add_rounds_option(*command, options.rounds, "Number of rounds");
  command->add_option("--compiler", options.compiler, "C++ compiler")->capture_default_str();
  command->add_option("--idl", options.idl_files, "IDL files")->capture_default_str();
  command->add_option("--include", options.include_folder, "Folder of Perigee's headers")
      ->capture_default_str();
  add_output_options(*command, settings->output);
  command->callback([settings] { write_report(run_codegen(settings->options), settings->output); });
}

}  // namespace perigee::bench
