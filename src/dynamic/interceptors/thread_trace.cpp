// Keeps the trace of a thread with the slots of the thread: a task takes both to its next thread.
#include "dynamic/interceptors/slots.h"
#include "orb/context/thread_slots.h"
#include <perigee/base/log.h>
#include <perigee/dynamic/trace.h>
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace perigee {

using interceptors::Slots;

namespace {

orb::SlotValuesRef with_scope(const orb::SlotValuesRef& outer, Trace trace) {
  const auto is_zero = [](const auto& id) { return std::ranges::count(id, 0) == std::ssize(id); };
  if (is_zero(trace.trace_id) || is_zero(trace.span_id))
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                           "TraceScope: the trace has an id of zero; make it with new_trace()");
  return Slots::with_trace(outer, std::make_shared<const Trace>(std::move(trace)));
}

}  // namespace

std::optional<Trace> current_trace() {
  const auto trace = Slots::trace(orb::thread_slots());
  if (!trace) return std::nullopt;
  return *trace;
}

TraceScope::TraceScope(Trace trace)
    : outer_(orb::thread_slots()), mine_(with_scope(outer_, std::move(trace))) {
  orb::thread_slots() = mine_;
}

TraceScope::~TraceScope() {
  orb::SlotValuesRef& slots = orb::thread_slots();
  if (slots.get() == mine_.get()) {
    slots = std::move(outer_);
    return;
  }
  try {  // slots were set meanwhile
    slots = Slots::with_trace(slots, Slots::trace(outer_));
  } catch (const std::bad_alloc&) {
    log::write(log::Level::warning, "trace",
               "no memory: the thread keeps the trace of a TraceScope that has ended");
  }
}

}  // namespace perigee
