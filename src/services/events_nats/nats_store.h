// Keeps the channels of an event service in NATS JetStream. Several event services can use the same
// channels.
#pragma once

#include "services/events_nats/nats_options.h"
#include <perigee/services/events/store.h>

#include <expected>
#include <memory>

namespace perigee::events {

/// Events in streams of NATS JetStream: one stream for each channel. The number of an event is its
/// sequence number in the stream.
///
/// A thread of the store makes all requests, and calls listeners and results. A second thread makes
/// connections. The destructor first waits for the results of all requests.
class NatsStore : public EventStore {
 public:
  /// Any thread.
  [[nodiscard]] virtual NatsStatus status() const = 0;
};

/// Connects to a server, and makes the stream of subscriptions if it does not exist. Blocks for at
/// most `start_time_max`. Errors: `unavailable`, `corrupt` (a stream that does not belong to this
/// store), `full`, `failed` (an option, or JetStream is not enabled).
[[nodiscard]] std::expected<std::unique_ptr<NatsStore>, StoreError> open_nats_store(
    NatsStoreOptions options);

}  // namespace perigee::events
