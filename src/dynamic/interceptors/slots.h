// The slots of PICurrent: values of a thread, a request or a task.
#pragma once

#include "orb/context/thread_slots.h"
#include <perigee/dynamic/interceptor.h>
#include <perigee/dynamic/trace.h>
#include <perigee/orb/any.h>

#include <memory>
#include <vector>

namespace perigee::interceptors {

/// Identifies an ORB, also after its end: no other ORB ever gets an equal identity.
using OrbIdentity = std::shared_ptr<const char>;

/// Null: no trace. Immutable; shared by the slots that contain it.
using TraceRef = std::shared_ptr<const Trace>;

/// The slots of all ORBs, and the trace, which does not depend on an ORB. Immutable: a change makes
/// another object.
class Slots final : public orb::SlotValues {
 public:
  /// Empty if the slot has no value.
  [[nodiscard]] static CORBA::Any get(const orb::SlotValuesRef& values, const OrbIdentity& orb,
                                      PortableInterceptor::SlotId id);
  /// `values` with one slot changed, and without the slots of ORBs that have ended.
  [[nodiscard]] static orb::SlotValuesRef with(const orb::SlotValuesRef& values,
                                               const OrbIdentity& orb,
                                               PortableInterceptor::SlotId id, CORBA::Any value);
  [[nodiscard]] static TraceRef trace(const orb::SlotValuesRef& values) noexcept;
  /// `values` with another trace.
  [[nodiscard]] static orb::SlotValuesRef with_trace(const orb::SlotValuesRef& values,
                                                     TraceRef trace);

 private:
  struct Slot {
    std::weak_ptr<const char> orb;
    PortableInterceptor::SlotId id;
    CORBA::Any value;
  };
  /// Null if the slot has no value.
  [[nodiscard]] const Slot* find(const OrbIdentity& orb, PortableInterceptor::SlotId id) const;

  std::vector<Slot> slots_;
  TraceRef trace_;
};

}  // namespace perigee::interceptors
