// The options of perigee-events for durable channels.
#pragma once

#include "services/events_nats/nats_store.h"
#include <perigee/services/events/service.h>
#include <perigee/services/events/sqlite_store.h>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace perigee::tool {

struct StoreArguments {
  std::string store = "memory";  ///< "memory", "nats", or the name of a file
  std::vector<std::string> subscriptions;
  std::uint32_t age_max_s = 0;
  events::SqliteEventStoreOptions sqlite;
  events::NatsStoreOptions nats;  ///< without the limits, which are those of `sqlite`
};

/// A subscription of the command line.
struct NamedSubscription {
  std::string channel;
  std::string name;
};

void add_store_options(CLI::App& program, StoreArguments& arguments);
/// Raises UsageError for a subscription without a channel, and for options that need a durable
/// store.
[[nodiscard]] std::vector<NamedSubscription> check_store_options(
    const CLI::App& program, const StoreArguments& arguments,
    const std::vector<std::string>& channels);

/// `nats` is the same object as `store` if events are in NATS, and otherwise null.
struct OpenStore {
  std::unique_ptr<events::EventStore> store;  ///< null: events are in memory only
  const events::NatsStore* nats = nullptr;
};
/// Raises std::runtime_error if the file or NATS cannot be used.
[[nodiscard]] OpenStore open_store(const StoreArguments& arguments);

}  // namespace perigee::tool
