// `perigee bench …`: the experiments, each from its own folder.
#include "bench.h"

#include "codegen/codegen.h"
#include "connections/connections.h"
#include "crowd/crowd.h"
#include "cubit/cubit.h"
#include "sockspeed/sockspeed.h"
#include "structs/structs.h"
#include "ttcp/ttcp.h"

#include <CLI/CLI.hpp>

namespace perigee::bench {

void add_bench_command(CLI::App& tool) {
  CLI::App* bench = tool.add_subcommand("bench", "measure Perigee beside its floors and peers");
  bench->require_subcommand(1);
  add_cubit_command(*bench);
  add_structs_command(*bench);
  add_connections_command(*bench);
  add_crowd_command(*bench);
  add_ttcp_command(*bench);
  add_sockspeed_command(*bench);
  add_codegen_command(*bench);
}

}  // namespace perigee::bench
