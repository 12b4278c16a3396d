// `perigee bench …`: the experiments. Each has its own folder.
#include "bench.h"

#include "ami/ami.h"
#include "bridge/bridge.h"
#include "codegen/codegen.h"
#include "compare/compare.h"
#include "connections/connections.h"
#include "crowd/crowd.h"
#include "cubit/cubit.h"
#include "demux/demux.h"
#include "events/events.h"
#include "imaging/imaging.h"
#include "jitter/jitter.h"
#include "middletier/middletier.h"
#include "naming/naming.h"
#include "paper/paper.h"
#include "protocols/protocols.h"
#include "sizes/sizes.h"
#include "sockspeed/sockspeed.h"
#include "structs/structs.h"
#include "tls/tls.h"
#include "ttcp/ttcp.h"
#include "whitebox/whitebox.h"

#include <CLI/CLI.hpp>

namespace perigee::bench {

void add_bench_command(CLI::App& tool) {
  CLI::App* bench = tool.add_subcommand(
      "bench", "Measure Perigee and compare it with raw sockets and other ORBs");
  bench->require_subcommand(1);
  add_cubit_command(*bench);
  add_whitebox_command(*bench);
  add_demux_command(*bench);
  add_protocols_command(*bench);
  add_sizes_command(*bench);
  add_structs_command(*bench);
  add_connections_command(*bench);
  add_crowd_command(*bench);
  add_ttcp_command(*bench);
  add_sockspeed_command(*bench);
  add_imaging_command(*bench);
  add_middletier_command(*bench);
  add_jitter_command(*bench);
  add_ami_command(*bench);
  add_bridge_command(*bench);
  add_tls_command(*bench);
  add_naming_command(*bench);
  add_events_command(*bench);
  add_codegen_command(*bench);
  add_paper_command(*bench);
  add_compare_command(*bench);
}

}  // namespace perigee::bench
