// `perigee bench …`: the experiments. Each has its own folder.
#include "bench.h"

#include "ami/ami.h"
#include "codegen/codegen.h"
#include "connections/connections.h"
#include "crowd/crowd.h"
#include "cubit/cubit.h"
#include "jitter/jitter.h"
#include "middletier/middletier.h"
#include "protocols/protocols.h"
#include "sockspeed/sockspeed.h"
#include "structs/structs.h"
#include "ttcp/ttcp.h"
#include "whitebox/whitebox.h"

#include <CLI/CLI.hpp>

#include <stdexcept>
#include <string>

namespace perigee::bench {
namespace {

std::string names_of_experiments(const CLI::App& bench) {
  std::string names;
  for (const CLI::App* experiment : bench.get_subcommands({}))
    if (!experiment->get_group().empty())  // not a role
      names += (names.empty() ? "" : ", ") + experiment->get_name();
  return names;
}

// CLI11 alone would only report that a subcommand is required, without a list of subcommands.
void check_words(const CLI::App& bench) {
  const std::vector<std::string> words = bench.remaining();
  if (!words.empty() && words.front().starts_with('-'))
    throw CLI::ExtrasError(bench.get_name(), words);
  if (!words.empty())
    throw std::runtime_error("bench: no such experiment: " + words.front() +
                             "; there are: " + names_of_experiments(bench));
  if (bench.get_subcommands().empty())
    throw std::runtime_error("bench: an experiment is required: " + names_of_experiments(bench));
}

}  // namespace

void add_bench_command(CLI::App& tool) {
  CLI::App* bench = tool.add_subcommand("bench", "measure Perigee beside its floors and peers");
  bench->require_subcommand(0, 1);
  add_cubit_command(*bench);
  add_whitebox_command(*bench);
  add_protocols_command(*bench);
  add_structs_command(*bench);
  add_connections_command(*bench);
  add_crowd_command(*bench);
  add_ttcp_command(*bench);
  add_sockspeed_command(*bench);
  add_middletier_command(*bench);
  add_jitter_command(*bench);
  add_ami_command(*bench);
  add_codegen_command(*bench);
  bench->allow_extras();  // last, because experiments would inherit it
  bench->parse_complete_callback([bench] { check_words(*bench); });
}

}  // namespace perigee::bench
