// The trace of a thread is one of the values that tasks take along.
#include "dynamic/interceptors/slots.h"
#include "orb/context/thread_slots.h"
#include <perigee/dynamic/trace.h>

#include <memory>
#include <optional>
#include <utility>

namespace perigee {

using interceptors::Slots;

std::optional<Trace> current_trace() {
  const auto trace = Slots::trace(orb::thread_slots());
  if (!trace) return std::nullopt;
  return *trace;
}

TraceScope::TraceScope(Trace trace) : outer_(orb::thread_slots()) {
  orb::thread_slots() = Slots::with_trace(outer_, std::make_shared<const Trace>(std::move(trace)));
}

TraceScope::~TraceScope() { orb::thread_slots() = std::move(outer_); }

}  // namespace perigee
