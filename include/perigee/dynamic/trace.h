// W3C Trace Context in calls: the trace for which a thread works. See docs/tracing.md.
// Source: https://www.w3.org/TR/trace-context/
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::orb {
class SlotValues;
}

namespace perigee {

/// A trace is the work of several programs for one purpose. A span is the part of one program, for
/// example the execution of one request. Ids are not zero.
struct Trace {
  std::array<std::uint8_t, 16> trace_id{};
  std::array<std::uint8_t, 8> span_id{};
  std::array<std::uint8_t, 8> parent_id{};  ///< the span that caused this span; zero: none
  std::uint8_t flags = 1;                   ///< bit 0: the caller records the trace
  std::string state;                        ///< `tracestate`: data of tracing systems
  friend bool operator==(const Trace&, const Trace&) = default;
};

/// The longest `Trace::state` that is passed on, in octets. A longer state is dropped.
inline constexpr std::size_t trace_state_size_max = 512;

/// A new trace and its first span, with random ids.
[[nodiscard]] PERIGEE_API Trace new_trace();
/// A new span of the same trace, caused by `cause`. Keeps bit 0 of the flags. The other bits become
/// zero, because their meaning is unknown.
[[nodiscard]] PERIGEE_API Trace child_of(const Trace& cause);

/// "00-<trace id>-<span id>-<flags>", in lower-case hexadecimal digits.
[[nodiscard]] PERIGEE_API std::string to_traceparent(const Trace& trace);
/// Parses the text of `to_traceparent`. std::nullopt if the text is malformed, or an id is zero.
/// Accepts later versions, as the specification requires. The result has no parent and no state.
[[nodiscard]] PERIGEE_API std::optional<Trace> parse_traceparent(std::string_view text);

/// The trace of the calling thread. In an upcall: the span of the request, if the ORB has
/// `-ORBTraceContext`. A coroutine keeps it over `co_await`. A reply handler (AMI) has none: give
/// it the trace by a TraceScope. Any thread.
[[nodiscard]] PERIGEE_API std::optional<Trace> current_trace();

/// Gives the calling thread a trace, as long as this object lives: calls belong to this trace. The
/// slots of PICurrent do not change. Use it on one thread, not over a `co_await`. Raises BAD_PARAM
/// if an id of the trace or of its span is zero. If slots were set meanwhile and its destructor
/// gets no memory, the thread keeps the trace, and a warning is logged.
class PERIGEE_API TraceScope {
 public:
  explicit TraceScope(Trace trace);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  counted_ptr<const orb::SlotValues> outer_;  // the former slots and the former trace
  counted_ptr<const orb::SlotValues> mine_;   // the same slots with the trace of this object
};

}  // namespace perigee
