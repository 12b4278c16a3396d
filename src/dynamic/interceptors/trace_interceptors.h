// The interceptors that pass traces on: W3C Trace Context in a service context.
#pragma once

#include "dynamic/interceptors/orb_interceptors.h"
#include "orb/context/settings.h"
#include <perigee/base/octets.h>
#include <perigee/dynamic/trace.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace perigee::interceptors {

/// The service context of a trace: an encapsulation of two strings, `traceparent` and `tracestate`.
/// docs/interop.md describes it for other ORBs.
inline constexpr std::uint32_t context_trace = 0x50474504;

[[nodiscard]] std::vector<std::uint8_t> encode_trace_context(const Trace& trace);
/// std::nullopt if the octets are malformed. A malformed or too long `tracestate` is dropped.
[[nodiscard]] std::optional<Trace> decode_trace_context(OctetSpan octets);

/// Puts the interceptors before all others, so that the trace is known to them. Also adds the trace
/// of a thread to its lines of the log, from now on.
void add_trace_interceptors(InterceptorLists& lists, orb::TraceUse use);

}  // namespace perigee::interceptors
