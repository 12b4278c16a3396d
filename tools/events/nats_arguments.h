// The options of perigee-events for channels in NATS.
#pragma once

#include "services/events_nats/nats_options.h"

#include <CLI/CLI.hpp>

#include <string>

namespace perigee::tool {

/// Adds the options --nats and --nats-…. `options` must outlive `program`.
void add_nats_options(CLI::App& program, events::NatsStoreOptions& options);

/// Throws UsageError if `--store nats` is given without `--nats`, or if an option of NATS is given
/// with another store. Otherwise services that should share their channels would not share them.
void check_nats_options(const CLI::App& program, const std::string& store);

}  // namespace perigee::tool
