// The options of a store in NATS JetStream, and its counters.
#pragma once

#include <perigee/base/clock.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace perigee::events {

/// What happens to a new event if its stream has reached a limit.
enum class WhenFull : std::uint8_t {
  remove_oldest,  ///< the oldest event is removed, even if a subscription still needs it
  refuse_new,     ///< `append` fails with `full`
};

/// The limits of a stream that the store makes. 0: no limit. NATS keeps the limits of a stream that
/// exists; `nats stream edit` changes them.
struct StreamLimits {
  std::uint64_t events_max = 0;
  std::uint64_t octets_max = std::uint64_t{1} << 30;
  std::chrono::seconds age_max{0};
  WhenFull when_full = WhenFull::remove_oldest;
};

struct NatsStoreOptions {
  /// The servers of the cluster: "nats://host:port" or "tls://host:port". At least one.
  std::vector<std::string> servers;
  /// Begins the names of streams and subjects. Event services with the same prefix share their
  /// channels. Letters, digits, '-' and '_'.
  std::string prefix = "perigee";
  std::string credentials;  ///< a file with a user's JWT and seed; may be empty
  /// Files in PEM form, for TLS; may be empty. The authorities of the system are trusted as well.
  std::string authorities;
  std::string certificate;
  std::string key;
  std::size_t replicas = 1;  ///< servers that keep each new stream: 1 to 5
  StreamLimits limits;       ///< of each new stream
  /// A request with all its attempts takes at most this time. Then it fails.
  std::chrono::milliseconds request_time_max{5'000};
  std::chrono::milliseconds start_time_max{10'000};  ///< for the start, and to open a channel
  /// A request to NATS without an answer is sent again after this time.
  std::chrono::milliseconds attempt_time_max{1'000};
  std::chrono::milliseconds heartbeat_interval{1'000};  ///< of consumers
  /// If NATS does not find a stream for this time, the stream's channel fails. A shorter absence
  /// may mean that the servers of the stream are starting.
  std::chrono::milliseconds stream_missing_max{30'000};
  /// Events that all subscriptions have acknowledged are removed at this interval.
  std::chrono::milliseconds trim_interval{10'000};
  /// The limit of subscriptions of a channel. Services that make subscriptions at the same time may
  /// exceed this limit.
  std::size_t subscriptions_max = 1'000;
  std::size_t waiting_max = 16'384;  ///< requests that wait; a further request fails with `busy`
  /// Octets of the events in waiting requests. A further request that would exceed this fails with
  /// `busy`.
  std::size_t waiting_octets_max = 64 << 20;
  std::size_t recent_octets_max = 4 << 20;  ///< of a channel's newest events, kept in memory
  /// Outlives the store.
  const Clock* clock = &steady_clock();
};

/// Numbers of a store in NATS, for operators.
struct NatsStatus {
  bool is_connected = false;            ///< to a server of NATS
  std::uint64_t connections_made = 0;   ///< since the start: more than one after lost connections
  std::uint64_t requests_waiting = 0;   ///< that have no result yet
  std::uint64_t events_sent_again = 0;  ///< since the start, because no acknowledgement came
  /// Since the start. After faults, more than one for each channel.
  std::uint64_t consumers_made = 0;
  /// Messages from NATS that the store dropped because too many waited, and requested again.
  std::uint64_t messages_dropped = 0;
};

}  // namespace perigee::events
