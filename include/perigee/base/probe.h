// Time probes: points on the way of a call at which a build with `PERIGEE_PROBES` notes the time.
// Applications may note points of their own, and read the times. Other builds contain no code for
// probes: `stamp` does nothing, and `stamps` returns nothing.
#pragma once

#ifdef PERIGEE_PROBES
#include <perigee/base/export.h>
#endif

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perigee::probe {

/// Each point ends a step. The step began with the previous stamp of the same thread.
enum class Point : std::uint8_t {
  // The client: sending the request, and taking the reply.
  call_begins,
  initialised,       ///< the call's state machine is made, and its policies are known
  connection_found,  ///< a connection to the target of the reference
  request_begun,     ///< the request header is written
  arguments_encoded,
  request_finished,  ///< the request may be sent
  reply_parsed,      ///< the reply header
  results_decoded,
  call_ended,
  // The server.
  request_parsed,  ///< the request header
  admitted,        ///< limits and order were checked
  key_parsed,
  servant_found,    ///< the object of the key is active and has a servant
  adapter_found,    ///< the object belongs to the POA of the key
  upcall_prepared,  ///< the adapter lets the request pass
  upcall_begins,    ///< the servant's own code calls `stamp`
  upcall_ended,     ///< the servant's own code calls `stamp`
  reply_begun,      ///< the reply header is written
  results_encoded,
  reply_finished,  ///< the reply may be sent
  // The transport, on both sides.
  send_begins,  ///< before the system call
  sent,
  receive_begins,
  received,
  /// The first point of applications. All larger values are points of applications: see
  /// `application_point`.
  application = 128,
};

/// The points of applications are numbered from 0 to 127.
inline constexpr std::uint8_t application_point_max = 127;
/// A point whose meaning the application decides. Larger numbers than `application_point_max` mean
/// `application_point_max`. No errors.
[[nodiscard]] constexpr Point application_point(std::uint8_t number) noexcept {
  return static_cast<Point>(static_cast<std::uint8_t>(Point::application) +
                            (number < application_point_max ? number : application_point_max));
}

/// A point, and the time at which a thread reached it.
struct Stamp {
  std::uint64_t ticks = 0;  ///< ticks of the CPU's counter: `measure_clock` measures their duration
  Point point = Point::call_begins;
};

/// The duration of a tick, and the cost of a stamp, in nanoseconds.
struct StampClock {
  double ns_per_tick = 1;
  double stamp_ns = 0;
};

/// The number of stamps that each thread keeps. Newer stamps replace older ones.
inline constexpr std::size_t stamps_max = std::size_t{1} << 16;

#ifdef PERIGEE_PROBES
inline namespace on {

/// Whether this build has probes.
inline constexpr bool enabled = true;

/// Notes the time for the calling thread, in about 10 ns. Does not block, except at the first stamp
/// of a thread, which allocates 1 MiB for the thread's stamps: that memory is kept until the
/// process ends. If there is no memory, ends the process.
PERIGEE_API void stamp(Point point) noexcept;

/// The last `stamps_max` stamps of each thread, including ended threads, in the order of time. Call
/// it only while no thread notes stamps: stamps that are noted meanwhile may be wrong. The caller
/// owns the result. Errors: std::bad_alloc.
[[nodiscard]] PERIGEE_API std::vector<std::vector<Stamp>> stamps();

/// Measures the clock now. Takes some milliseconds, and adds stamps of the calling thread, so call
/// `stamps` first. Errors: none.
[[nodiscard]] PERIGEE_API StampClock measure_clock();

}  // namespace on
#else
inline namespace off {

inline constexpr bool enabled = false;
[[gnu::always_inline]] inline constexpr void stamp(Point /*point*/) noexcept {}
[[nodiscard]] inline std::vector<std::vector<Stamp>> stamps() { return {}; }
[[nodiscard]] inline StampClock measure_clock() { return {}; }

}  // namespace off
#endif

}  // namespace perigee::probe
