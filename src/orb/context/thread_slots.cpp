// The slots of each thread.
#include "orb/context/thread_slots.h"

namespace perigee::orb {

SlotValuesRef& thread_slots() noexcept {
  static thread_local SlotValuesRef values;
  return values;
}

}  // namespace perigee::orb
