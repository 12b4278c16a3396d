// The store of durable channels in a SQLite file.
#pragma once

#include <perigee/base/export.h>
#include <perigee/services/events/store.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

namespace perigee::events {

/// What happens to a new event if the channel keeps as many events or octets as it may.
enum class AtLimit : std::uint8_t {
  remove_oldest,  ///< the oldest events are removed, although a subscription may miss them
  refuse,         ///< `append` fails with `full`, if the channel has a subscription
};

struct SqliteEventStoreOptions {
  std::size_t events_max = 1'000'000;  ///< events that a channel keeps; 0 counts as 1
  std::uint64_t octets_max = std::uint64_t{1} << 30;  ///< of the events that a channel keeps
  std::chrono::seconds age_max{0};                    ///< older events are removed; 0: no limit
  AtLimit at_limit = AtLimit::remove_oldest;
  std::size_t subscriptions_max = 1'000;  ///< of a channel
  std::size_t waiting_max = 16'384;  ///< requests that wait; a further request fails with `busy`
  /// Octets of the events in waiting requests. A further request that would exceed this fails with
  /// `busy`.
  std::size_t waiting_octets_max = 256 << 20;
  std::size_t group_max = 1'024;  ///< requests that are made durable together; 0 counts as 1
  /// Milliseconds since 1970-01-01 UTC, for `age_max`. Empty: the time of the system.
  std::function<std::int64_t()> wall_clock;
};

/// Opens the file, and makes it if it does not exist. Missing folders are made, too. The store is
/// the only user of the file until it is destroyed.
///
/// An event or an acknowledgement is durable when it is reported: it survives the end of the
/// process and of the system. One thread of the store writes the requests that wait as one
/// transaction, and another thread reads. The destructor first does the requests that wait.
///
/// Events that all subscriptions of a channel have acknowledged are removed in the background. A
/// channel without subscriptions keeps its events up to the limits. Errors: all kinds of StoreError
/// except `unavailable` and `uncertain`; after `failed`, an event may be in the channel.
[[nodiscard]] PERIGEE_API std::expected<std::unique_ptr<EventStore>, StoreError>
open_sqlite_event_store(const std::string& path, const SqliteEventStoreOptions& options = {});

}  // namespace perigee::events
