// The options of an event service: the queues of consumers, and limits.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/export.h>
#include <perigee/services/access/access_rule.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::events {

/// The minor code of TRANSIENT if a `pull` ends because no event has come: ask again. omniEvents
/// has the same (TRANSIENT_CallTimedout of omniORB).
inline constexpr std::uint32_t minor_no_event_yet = 0x41540008;

/// What happens to an event for which the queue of a consumer has no room.
enum class Overflow : std::uint8_t {
  drop_oldest,  ///< the consumer misses the oldest events of its queue
  drop_newest,  ///< the consumer misses the new event
  block,        ///< the supplier's `push` waits until there is room
  disconnect,   ///< the channel disconnects the consumer
};

using services::AccessRule;

/// Reads "any", "none" (no rule), "local", "user=1000", "subject=CN=teller,O=Bank",
/// "dns=host.example" or "fingerprint=ab12…", and appends the rule. On an error, returns what is
/// wrong and how to write it.
[[nodiscard]] PERIGEE_API std::expected<void, std::string> add_access_rule(
    std::string_view text, std::vector<AccessRule>& rules);

/// The limits of octets count the values of the events in CDR, with their TypeCodes. For
/// `waiting_octets_max`, an event that waits for several consumers counts once, and each event
/// counts 256 octets more.
struct Options {
  Overflow overflow = Overflow::drop_oldest;
  std::size_t queue_events_max = 1'000;     ///< events in the queue of one consumer
  std::size_t queue_octets_max = 8 << 20;   ///< octets in it; an empty queue accepts any one event
  std::size_t event_octets_max = 16 << 20;  ///< of one event
  std::size_t waiting_octets_max = 256 << 20;  ///< of all events that wait in the service
  std::size_t proxies_max = 20'000;            ///< suppliers and consumers of the service
  /// Suppliers and consumers of one client. A client is a user of a local socket, the subject of a
  /// verified certificate, or a host. The service's own process has no such limit.
  std::size_t proxies_per_client_max = 5'000;
  std::size_t channels_max = 1'000;  ///< channels of the service
  /// Calls of `push` in progress to one consumer, at most 256. With more than 1, the events are in
  /// order only if the server of the consumer executes the requests of a connection one after the
  /// other. The service makes one call at a time if several calls of its ORB might use several
  /// connections. This is so with the thread strategies auto, thread-per-connection and
  /// thread-pool, and if there are too many consumers for `-ORBRequestsInFlightMax`.
  std::size_t pushes_per_consumer_max = 1;
  std::chrono::milliseconds call_time_max{5'000};    ///< for one call of a consumer or supplier
  unsigned failures_max = 3;                         ///< in a row; then the peer is disconnected
  std::chrono::milliseconds first_retry_delay{100};  ///< doubled after each further failure, up to
  std::chrono::milliseconds retry_delay_max{5'000};  ///< this delay
  std::chrono::milliseconds pull_interval{100};      ///< between questions to a pull supplier
  std::chrono::seconds unconnected_max{600};  ///< then a new proxy may replace one without a peer
  std::chrono::seconds idle_max{86'400};      ///< the same for a proxy that its peer does not call
  /// With Overflow::block: a consumer that takes no event for this time, while a supplier waits for
  /// it, is disconnected.
  std::chrono::milliseconds block_max{30'000};
  std::size_t waiting_pushes_max = 4'000;           ///< pushes in progress, with Overflow::block
  std::size_t waiting_pulls_max = 8'000;            ///< calls of `pull` that wait in the service
  std::size_t pulls_per_proxy_max = 16;             ///< such calls from one consumer
  std::chrono::milliseconds pull_wait_max{60'000};  ///< then `pull` raises TRANSIENT
  bool may_destroy = false;                         ///< whether clients may destroy a channel
  /// Which clients may connect as suppliers, and push events. Calls within the process always may.
  std::vector<AccessRule> may_supply = {AccessRule{}};  ///< local clients
  /// Which clients may connect as consumers, and get events. These clients may also make and end
  /// the subscriptions of a durable channel, with or without `may_destroy`.
  std::vector<AccessRule> may_consume = {AccessRule{.kind = AccessRule::Kind::any, .value = {}}};
  /// For EventService::end: the time limit for telling suppliers and consumers that the service
  /// ends.
  std::chrono::milliseconds end_time_max{2'000};
  const Clock* clock = &steady_clock();  ///< for idle proxies; outlives the service
};

}  // namespace perigee::events
