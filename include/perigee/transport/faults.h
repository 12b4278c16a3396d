// Breaks connections on purpose: delays, splits, resets, ends and stalls at chosen octets, so that
// systems can be tested with what networks do to them. Decorators of a transport and of a protocol;
// nothing of the ORB knows of them.
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

/// What happens to a connection. Each kind is as the decorated side sees it.
enum class FaultKind : std::uint8_t {
  split,  ///< one transfer ends here and the next begins: short reads, short writes, two segments
  delay,  ///< whoever transfers waits for `Fault::duration`; a reactor's thread with all it serves
  stall,  ///< nothing passes any more, in this direction, until the connection is interrupted
  end_of_stream,  ///< nothing more is received; or what was sent is all that the peer will get
  /// Both directions fail with ECONNRESET. The peer sees the same, over TCP; over transports that
  /// know no reset it sees the connection end.
  reset,
};

enum class FaultDirection : std::uint8_t { sent, received };

/// Happens when `octet` octets have passed in the direction; at 0 before the first transfer.
struct Fault {
  FaultKind kind = FaultKind::split;
  FaultDirection direction = FaultDirection::sent;
  std::uint64_t octet = 0;
  std::chrono::microseconds duration{0};  ///< of a delay

  friend bool operator==(const Fault&, const Fault&) = default;
};

/// All that happens to one connection, in any order.
using FaultScript = std::vector<Fault>;

/// A connection that begins.
struct FaultyConnection {
  enum class Side : std::uint8_t { connected, accepted };

  std::uint64_t number = 0;  ///< counted from 0, for each decorated protocol
  Side side = Side::connected;
  std::string peer;
};

/// What to do with which connection. The functions are called by any thread.
struct FaultPlan {
  /// Empty: nothing happens to any.
  std::function<FaultScript(const FaultyConnection& connection)> script;
  /// Told of each fault when it happens; may be empty.
  std::function<void(const FaultyConnection& connection, const Fault& fault)> happened;
  /// Called in place of waiting for a delay, by tests that do not sleep; may be empty.
  std::function<void(std::chrono::microseconds duration)> wait;
};

/// How often what happens, for `random_faults`. Probabilities are for each connection.
struct RandomFaults {
  std::uint64_t seed = 0;
  double split = 0;
  double delay = 0;
  double stall = 0;
  double end_of_stream = 0;
  double reset = 0;
  std::uint64_t octet_max = 4096;  ///< where faults happen: before this octet, each as likely
  std::chrono::microseconds delay_max{10'000};
};
/// From text like "seed=7,split=0.5,end_of_stream=0.01": names of members; `delay_max` in
/// microseconds. Otherwise IoErrorKind::bad_address, with the part that is wrong.
PERIGEE_API std::expected<RandomFaults, IoError> parse_random_faults(std::string_view text);
/// Scripts that are the same for the same seed and connection number.
PERIGEE_API std::function<FaultScript(const FaultyConnection&)> random_faults(
    const RandomFaults& faults);

/// Wraps one transport.
PERIGEE_API std::unique_ptr<Transport> inject_faults(std::unique_ptr<Transport> inner,
                                                     const FaultScript& script);
/// Wraps a protocol: every transport that it makes follows the plan.
PERIGEE_API std::unique_ptr<ProtocolFactory> inject_faults(std::unique_ptr<ProtocolFactory> inner,
                                                           FaultPlan plan);

}  // namespace perigee::transport
