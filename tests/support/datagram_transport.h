// Two transports that carry datagrams through a pair of sockets. A test can lose, double and
// reorder the datagrams.
#pragma once

#include "support/memory_protocol.h"
#include <perigee/messaging/carrier.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace perigee::test {

inline constexpr std::uint32_t datagram_profile_tag = 0x50470f02;
inline constexpr messaging::Carrier datagram_carrier{.shape = messaging::Shape::datagrams,
                                                     .reliable = false,
                                                     .ordered = false,
                                                     .datagram_max = 65'507};

/// How often a fault happens to the datagrams of all connections together. 0: never; 1: to each
/// datagram; 3: to each third datagram. Any thread.
struct DatagramFaults {
  std::atomic<std::uint32_t> lose_each{0};
  std::atomic<std::uint32_t> double_each{0};
  std::atomic<std::uint32_t> delay_each{0};  ///< it arrives after its sender's next datagram
  std::atomic<std::uint32_t> forge_each{0};  ///< a GIOP reply arrives after a malformed copy of it
  std::atomic<std::uint32_t> sent{0};        ///< datagrams so far, without the doubles
};

/// The properties that the server's ends of connections report.
struct DatagramServerEnd {
  messaging::Flow flow = messaging::Flow::both;
  bool is_virtual = false;
};

/// The two ends of a new connection, the client's first. `faults` outlives them.
[[nodiscard]] TransportEnds make_datagram_ends(DatagramFaults& faults,
                                               const DatagramServerEnd& server = {});

/// The factory of scheme "dgram".
[[nodiscard]] std::unique_ptr<transport::ProtocolFactory> make_datagram_protocol(
    std::shared_ptr<MemoryHub> hub);

}  // namespace perigee::test
