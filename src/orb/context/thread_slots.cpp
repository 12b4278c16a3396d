// The slots of each thread.
#include "orb/context/thread_slots.h"

namespace perigee::orb {

constinit std::atomic<bool> slots_in_use{false};

SlotValuesRef& thread_slots() noexcept {
  static thread_local SlotValuesRef values;
  return values;
}

}  // namespace perigee::orb
