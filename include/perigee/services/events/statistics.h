// The numbers of an event channel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perigee::events {

/// Numbers of one channel since it was made.
struct ChannelStatistics {
  std::uint64_t received = 0;      ///< events of suppliers that the channel has accepted
  std::uint64_t refused = 0;       ///< events that it has not accepted: too large, or too many
  std::uint64_t delivered = 0;     ///< events that consumers have got: each consumer counts
  std::uint64_t dropped = 0;       ///< events that a consumer has missed: each consumer counts
  std::uint64_t disconnected = 0;  ///< suppliers and consumers that the channel has disconnected
  std::size_t suppliers = 0;       ///< connected now
  std::size_t consumers = 0;       ///< connected now
  std::size_t waiting_octets = 0;  ///< of the events that wait now in this channel
};

}  // namespace perigee::events
