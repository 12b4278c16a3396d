// The data that all parts of the engine of one ORB share: clock, limits and counters.
#pragma once

#include "engine/loops/reactor.h"
#include "engine/loops/request_count.h"
#include "engine/loops/request_order.h"
#include "engine/memory/pace.h"
#include <perigee/base/clock.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace perigee::engine {

/// The limits of the engine. Names and defaults are those of orb::Settings.
struct EngineSettings {
  std::chrono::microseconds busy_poll{0};
  PollerKind poller = PollerKind::epoll;      ///< of the loops
  bool accept_shards = false;                 ///< each loop of one thread accepts by itself
  std::size_t read_buffer_size = 256 * 1024;  ///< octets that a thread receives at once
  std::size_t write_queue_size_max = 8 * 1024 * 1024;
  std::uint32_t server_connections_max = 10'000;
  std::chrono::milliseconds idle_timeout{180'000};         ///< of accepted connections; zero: never
  std::chrono::milliseconds client_idle_timeout{120'000};  ///< of opened connections; zero: never
  std::chrono::milliseconds send_timeout{60'000};          ///< zero: never
  /// Longest time that a client has for the handshake of its transport.
  std::chrono::milliseconds open_timeout{10'000};
  /// Longest wait for the first reply on a connection, counted from the request; zero: for ever.
  std::chrono::milliseconds first_reply_timeout{30'000};
  /// The slowest pace at which a client may read its replies. `send_timeout` limits a client that
  /// takes no octet at all.
  PaceLimits output_pace{.grace = std::chrono::seconds(60)};
  std::uint32_t nested_upcall_depth_max = 32;
  std::uint32_t cpus = 1;  ///< that this process may use
  std::uint32_t requests_per_connection_max = 256;
  RequestOrder request_order = RequestOrder::none;
  std::uint32_t requests_in_flight_max = 16'384;  ///< calls of this side on one connection
  std::uint32_t parked_requests_max = 1024;
  std::uint32_t messages_per_turn_max = 1024;
  std::size_t octets_per_turn_max = 1024 * 1024;
  std::chrono::milliseconds accept_retry_delay{100};
  std::chrono::milliseconds drain_idle_timeout{250};
  std::chrono::milliseconds drain_timeout{5'000};
};

/// The octets of requests that wait at hold points, or while replies are read, and their limit. Any
/// thread.
class ParkedOctets {
 public:
  explicit ParkedOctets(std::size_t max) noexcept : max_(max) {}

  [[nodiscard]] bool begin(std::size_t octets) noexcept {
    const bool fits = sum_.fetch_add(octets, std::memory_order_relaxed) + octets <= max_;
    if (!fits) end(octets);
    return fits;
  }
  void end(std::size_t octets) noexcept { sum_.fetch_sub(octets, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t sum() const noexcept { return sum_.load(std::memory_order_relaxed); }

 private:
  const std::size_t max_;
  std::atomic<std::size_t> sum_{0};
};

/// The share of one request in the parked octets. The destructor gives it back.
class ParkedShare {
 public:
  ParkedShare() noexcept = default;
  /// Empty if the request does not fit.
  ParkedShare(ParkedOctets& parked, std::size_t octets) noexcept
      : parked_(parked.begin(octets) ? &parked : nullptr), octets_(octets) {}
  ParkedShare(ParkedShare&& other) noexcept
      : parked_(std::exchange(other.parked_, nullptr)), octets_(other.octets_) {}
  ParkedShare& operator=(ParkedShare&& other) noexcept {
    reset();
    parked_ = std::exchange(other.parked_, nullptr);
    octets_ = other.octets_;
    return *this;
  }
  ~ParkedShare() { reset(); }

  explicit operator bool() const noexcept { return parked_ != nullptr; }
  void reset() noexcept {
    if (parked_ != nullptr) std::exchange(parked_, nullptr)->end(octets_);
  }

 private:
  ParkedOctets* parked_ = nullptr;
  std::size_t octets_ = 0;
};

/// References to the objects that the engine uses. The ORB owns the objects, which outlive the
/// engine.
struct EngineContext {
  const Clock& clock;
  const EngineSettings& settings;
  RequestCount& requests;
  ParkedOctets& parked;
};

}  // namespace perigee::engine
