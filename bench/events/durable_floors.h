// The floors of durable channels: functions in the style of C. They write what a durable event
// channel writes, without a channel and without an ORB.
#pragma once

#include "durable_pass.h"

#include <cstddef>
#include <string>

namespace perigee::bench {

struct DurableLoad {
  std::size_t events = 0;
  std::size_t octets = 0;   ///< of an event
  std::size_t at_once = 1;  ///< events that wait for confirmation together
};

/// Inserts the events into a SQLite file, with a transaction for every `at_once` events. The
/// store of a channel must have made `file`, so that both write the same rows.
[[nodiscard]] DurablePass insert_events(const std::string& file, const DurableLoad& load);
/// Publishes the events to a stream of NATS JetStream. `server` is "nats://host:port".
[[nodiscard]] DurablePass publish_events(const std::string& server, const DurableLoad& load);

}  // namespace perigee::bench
