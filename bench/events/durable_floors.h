// What a durable event channel writes, without a channel and without an ORB: the floors of the
// experiment, in the style of C.
#pragma once

#include "durable_pass.h"

#include <cstddef>
#include <string>

namespace perigee::bench {

struct DurableLoad {
  std::size_t events = 0;
  std::size_t octets = 0;   ///< of an event
  std::size_t at_once = 1;  ///< events whose confirmation is awaited
};

/// Inserts the events into a SQLite file, with a transaction for every `at_once` events. `file` was
/// made by the store of a channel, so that both write the same rows.
[[nodiscard]] DurablePass insert_events(const std::string& file, const DurableLoad& load);
/// Publishes the events to a stream of NATS JetStream. `server` is "nats://host:port".
[[nodiscard]] DurablePass publish_events(const std::string& server, const DurableLoad& load);

}  // namespace perigee::bench
