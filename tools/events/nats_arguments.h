// The options of perigee-events for channels in NATS.
#pragma once

#include "services/events_nats/nats_options.h"

#include <CLI/CLI.hpp>

#include <string>

namespace perigee::tool {

/// Adds the options --nats and --nats-…. `options` outlives the program.
void add_nats_options(CLI::App& program, events::NatsStoreOptions& options);

/// Throws UsageError if --store nats has no --nats, or if an option of NATS is given for another
/// store: services that are to share their channels would keep them apart.
void check_nats_options(const CLI::App& program, const std::string& store);

}  // namespace perigee::tool
