// The slots of PICurrent: values of a thread, a request or a task.
#pragma once

#include "orb/context/thread_slots.h"
#include <perigee/dynamic/interceptor.h>
#include <perigee/orb/any.h>

#include <vector>

namespace perigee::interceptors {

/// The slots of all ORBs. Immutable: a change makes another object.
class Slots final : public orb::SlotValues {
 public:
  /// `orb` identifies the ORB; it is compared only. Empty if the slot has no value.
  [[nodiscard]] static CORBA::Any get(const orb::SlotValuesRef& values, const void* orb,
                                      PortableInterceptor::SlotId id);
  /// `values` with one slot changed.
  [[nodiscard]] static orb::SlotValuesRef with(const orb::SlotValuesRef& values, const void* orb,
                                               PortableInterceptor::SlotId id, CORBA::Any value);

 private:
  struct Slot {
    const void* orb;
    PortableInterceptor::SlotId id;
    CORBA::Any value;
  };
  std::vector<Slot> slots_;
};

}  // namespace perigee::interceptors
