// Slots with values, in any order: most threads have a few of them.
#include "dynamic/interceptors/slots.h"

#include <algorithm>
#include <utility>

namespace perigee::interceptors {

using orb::SlotValuesRef;
using PortableInterceptor::SlotId;

const Slots::Slot* Slots::find(const OrbIdentity& orb, SlotId id) const {
  const auto found = std::ranges::find_if(slots_, [&](const Slot& slot) {
    return slot.id == id && !slot.orb.owner_before(orb) && !orb.owner_before(slot.orb);
  });
  return found != slots_.end() ? &*found : nullptr;
}

CORBA::Any Slots::get(const SlotValuesRef& values, const OrbIdentity& orb, SlotId id) {
  if (!values) return {};
  const Slot* const slot = static_cast<const Slots&>(*values).find(orb, id);
  return slot != nullptr ? slot->value : CORBA::Any();
}

SlotValuesRef Slots::with(const SlotValuesRef& values, const OrbIdentity& orb, SlotId id,
                          CORBA::Any value) {
  orb::use_slots();
  const auto changed = make_counted<Slots>();
  if (values) {
    const auto& before = static_cast<const Slots&>(*values);
    const Slot* const replaced = before.find(orb, id);
    for (const Slot& slot : before.slots_)
      if (&slot != replaced && !slot.orb.expired()) changed->slots_.push_back(slot);
    changed->trace_ = before.trace_;
  }
  changed->slots_.push_back({orb, id, std::move(value)});
  return changed;
}

TraceRef Slots::trace(const SlotValuesRef& values) noexcept {
  return values ? static_cast<const Slots&>(*values).trace_ : nullptr;
}

SlotValuesRef Slots::with_trace(const SlotValuesRef& values, TraceRef trace) {
  const auto* const before = static_cast<const Slots*>(values.get());
  if (!trace && (before == nullptr || before->slots_.empty())) return nullptr;
  orb::use_slots();
  const auto changed = make_counted<Slots>();
  if (before != nullptr) changed->slots_ = before->slots_;
  changed->trace_ = std::move(trace);
  return changed;
}

}  // namespace perigee::interceptors
