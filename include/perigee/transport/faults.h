// Breaks connections on purpose (delays, splits, resets, ends and stalls at chosen octets), to test
// systems against network failures. Decorators of a transport and of a protocol; the ORB does not
// know them.
#pragma once

#include <perigee/base/export.h>
#include <perigee/transport/transport.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace perigee::transport {

/// The effect on a connection, as the decorated side sees it.
enum class FaultKind : std::uint8_t {
  split,  ///< one transfer ends here and the next begins: short reads, short writes, two segments
  delay,  ///< the transferring thread (with all its work) waits for `Fault::duration`
  stall,  ///< no octet passes in this direction any longer, until the connection is interrupted
  end_of_stream,  ///< the direction ends: no further octets are received, or the peer gets none
  /// Both directions fail with ECONNRESET. Over TCP the peer sees the same. Over transports without
  /// a reset the peer sees the end of the connection.
  reset,
};

enum class FaultDirection : std::uint8_t { sent, received };

/// Happens when `octet` octets have passed in the direction; 0 means before the first transfer.
struct Fault {
  FaultKind kind = FaultKind::split;
  FaultDirection direction = FaultDirection::sent;
  std::uint64_t octet = 0;
  std::chrono::microseconds duration{0};  ///< the duration of a delay

  friend bool operator==(const Fault&, const Fault&) = default;
};

/// All faults of one connection, in any order.
using FaultScript = std::vector<Fault>;

/// A new connection.
struct FaultyConnection {
  enum class Side : std::uint8_t { connected, accepted };

  std::uint64_t number = 0;  ///< counted from 0, for each decorated protocol
  Side side = Side::connected;
  std::string peer;
};

/// The faults of all connections. Any thread may call the functions.
struct FaultPlan {
  /// Empty: no connection has faults.
  std::function<FaultScript(const FaultyConnection& connection)> script;
  /// Called for each fault when it happens; may be empty.
  std::function<void(const FaultyConnection& connection, const Fault& fault)> happened;
  /// Called in place of waiting for a delay, by tests that do not sleep; may be empty.
  std::function<void(std::chrono::microseconds duration)> wait;
};

/// How often faults happen, for `random_faults`. Probabilities are for each connection.
struct RandomFaults {
  std::uint64_t seed = 0;
  double split = 0;
  double delay = 0;
  double stall = 0;
  double end_of_stream = 0;
  double reset = 0;
  std::uint64_t octet_max = 4096;  ///< faults happen before this octet, uniformly distributed
  std::chrono::microseconds delay_max{10'000};
};
/// Parses text like "seed=7,split=0.5,end_of_stream=0.01". The names are those of the members of
/// RandomFaults; `delay_max` is in microseconds. Errors: IoErrorKind::bad_address, with the wrong
/// part.
PERIGEE_API std::expected<RandomFaults, IoError> parse_random_faults(std::string_view text);
/// Makes scripts. The same seed and connection number give the same script.
PERIGEE_API std::function<FaultScript(const FaultyConnection&)> random_faults(
    const RandomFaults& faults);

/// Wraps one transport, which gets the faults of the script.
PERIGEE_API std::unique_ptr<Transport> inject_faults(std::unique_ptr<Transport> inner,
                                                     const FaultScript& script);
/// Wraps a protocol: every transport that it makes follows the plan.
PERIGEE_API std::unique_ptr<ProtocolFactory> inject_faults(std::unique_ptr<ProtocolFactory> inner,
                                                           FaultPlan plan);

}  // namespace perigee::transport
