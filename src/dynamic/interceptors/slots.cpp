// Slots with values, in any order: most threads have a few of them.
#include "dynamic/interceptors/slots.h"

#include <algorithm>
#include <utility>

namespace perigee::interceptors {

using orb::SlotValuesRef;
using PortableInterceptor::SlotId;

CORBA::Any Slots::get(const SlotValuesRef& values, const void* orb, SlotId id) {
  if (!values) return {};
  for (const Slot& slot : static_cast<const Slots&>(*values).slots_)
    if (slot.orb == orb && slot.id == id) return slot.value;
  return {};
}

SlotValuesRef Slots::with(const SlotValuesRef& values, const void* orb, SlotId id,
                          CORBA::Any value) {
  orb::slots_in_use.store(true, std::memory_order_relaxed);
  const auto changed = make_counted<Slots>();
  if (values) changed->slots_ = static_cast<const Slots&>(*values).slots_;
  const auto found = std::ranges::find_if(
      changed->slots_, [&](const Slot& slot) { return slot.orb == orb && slot.id == id; });
  if (found != changed->slots_.end())
    found->value = std::move(value);
  else
    changed->slots_.push_back({orb, id, std::move(value)});
  return changed;
}

}  // namespace perigee::interceptors
