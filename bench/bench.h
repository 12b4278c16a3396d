// `perigee bench …`: the experiments as subcommands of the perigee tool.
#pragma once

namespace CLI {
class App;
}

namespace perigee::bench {

/// Adds `bench` and its experiments to the tool. A chosen experiment runs in its CLI11 callback;
/// errors are thrown as std::runtime_error.
void add_bench_command(CLI::App& tool);

}  // namespace perigee::bench
