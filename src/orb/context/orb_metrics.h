// The counters of one ORB that concern calls. The counters of connections are in traffic.h.
#pragma once

#include "engine/connection/traffic.h"
#include "orb/connection/invocation_error.h"
#include "orb/context/metrics_sources.h"
#include <perigee/base/export.h>
#include <perigee/messaging/message.h>
#include <perigee/orb/metrics.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>

namespace perigee::orb {

/// The outcome of a request at a server.
enum class RequestOutcome : std::uint8_t {
  no_exception,
  user_exception,
  system_exception,
  forwarded,
  oneway,     ///< no client waits for its outcome
  cancelled,  ///< its reply was not sent
  refused,    ///< TRANSIENT or IMP_LIMIT before the upcall: a limit of the server was reached
  count,
};

/// The outcome of a call of a client.
enum class CallOutcome : std::uint8_t {
  no_exception,
  user_exception,
  system_exception,  ///< raised by the server
  oneway,
  not_reached,      ///< no connection to the server: TRANSIENT
  connection_lost,  ///< COMM_FAILURE, or TRANSIENT if the server closed in an orderly way
  timed_out,
  failed,  ///< for any other reason
  count,
};
[[nodiscard]] CallOutcome outcome_of(FailureCause cause) noexcept;

/// Counts by kind, spread over cache lines, so that threads do not wait for each other. Any thread.
template <typename Kind>
class SpreadCounters {
 public:
  static constexpr auto kind_count = static_cast<std::size_t>(Kind::count);

  void add(Kind kind) noexcept {
    shards_[shard_of_thread()].counts[static_cast<std::size_t>(kind)].fetch_add(
        1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t sum(Kind kind) const noexcept {
    std::uint64_t sum = 0;
    for (const Shard& shard : shards_)
      sum += shard.counts[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
    return sum;
  }

 private:
  static constexpr std::size_t shard_count = 16;
  struct alignas(64) Shard {
    std::array<std::atomic<std::uint64_t>, kind_count> counts{};
  };

  [[nodiscard]] static std::size_t shard_of_thread() noexcept {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t shard =
        threads.fetch_add(1, std::memory_order_relaxed) % shard_count;
    return shard;
  }

  std::array<Shard, shard_count> shards_;
};

/// Latencies by operation. Any thread.
class LatencyTable {
 public:
  /// A peer may send any operation name. Long names are cut. Names beyond `operations_max` share
  /// one entry.
  void record(std::string_view operation, std::chrono::nanoseconds latency);
  [[nodiscard]] std::vector<std::pair<std::string, LatencyHistogram>> all() const;

  static constexpr std::size_t operations_max = 512;
  static constexpr std::size_t name_size_max = 128;
  static constexpr std::string_view others = "(others)";
  /// The entry of operations that ended with a system exception: such an operation may not exist.
  static constexpr std::string_view failed = "(failed)";

 private:
  struct Recorder {
    std::array<std::atomic<std::uint64_t>, LatencyHistogram::bound_count + 1> counts{};
    std::atomic<std::int64_t> sum_ns{0};
  };
  [[nodiscard]] Recorder& recorder_of(std::string_view operation);

  mutable std::shared_mutex mutex_;  // guards the map
  std::map<std::string, std::unique_ptr<Recorder>, std::less<>> recorders_;
};

/// Any thread.
class OrbMetrics {
 public:
  explicit OrbMetrics(bool measures_latencies) noexcept : measures_latencies_(measures_latencies) {}

  engine::TrafficLedger client_traffic;
  engine::TrafficLedger server_traffic;
  SpreadCounters<CallOutcome> calls;
  SpreadCounters<RequestOutcome> requests;
  std::atomic<std::uint64_t> retries{0};   ///< of requests that the server has not executed
  std::atomic<std::uint64_t> forwards{0};  ///< location forwards that calls have followed
  std::atomic<std::uint64_t> handler_calls_failed{0};    ///< of reply handlers in other processes
  std::atomic<std::uint64_t> malformed_messages{0};      ///< received by the server
  std::atomic<std::uint64_t> listen_points_believed{0};  ///< announced by clients, and accepted
  std::atomic<std::uint64_t> listen_points_refused{0};
  LatencyTable call_latencies;
  LatencyTable request_latencies;
  /// Numbers of services. Shared with AddedMetrics, because either may end first.
  const std::shared_ptr<MetricsSources> sources = std::make_shared<MetricsSources>();

  /// Measuring reads the clock twice for each call.
  [[nodiscard]] bool measures_latencies() const noexcept { return measures_latencies_; }
  /// `datagrams_dropped`: datagrams that the server's transports dropped before their messages were
  /// read.
  [[nodiscard]] MetricsSnapshot snapshot(std::uint32_t requests_in_progress,
                                         std::uint64_t datagrams_dropped) const;

 private:
  const bool measures_latencies_;
};

/// Measures from its construction to `record`, if latencies are measured.
class LatencyTimer {
 public:
  LatencyTimer(const OrbMetrics& metrics, LatencyTable& table) noexcept
      : table_(metrics.measures_latencies() ? &table : nullptr) {
    if (table_ != nullptr) [[unlikely]]
      start_ = std::chrono::steady_clock::now();
  }
  void record(std::string_view operation) const noexcept {
    if (table_ != nullptr) [[unlikely]]
      record_now(operation);
  }

 private:
  PERIGEE_INTERNAL_API void record_now(std::string_view operation) const noexcept;

  LatencyTable* const table_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace perigee::orb
