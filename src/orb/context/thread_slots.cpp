// The slots of each thread.
#include "orb/context/thread_slots.h"

#include <array>
#include <cstddef>
#include <memory>
#include <new>

namespace perigee::orb {

constinit std::atomic<bool> slots_in_use{false};
constinit std::atomic<bool> upcalls_are_extended{false};

void use_slots() noexcept {
  slots_in_use.store(true, std::memory_order_relaxed);
  upcalls_are_extended.store(true, std::memory_order_relaxed);
}

namespace {

// A thread may still write to the log while it ends, after the destructors of its variables. So the
// reference itself is never destroyed: it becomes null.
alignas(SlotValuesRef) constinit thread_local std::array<std::byte, sizeof(SlotValuesRef)> space{};

class Slots {
 public:
  Slots() noexcept : values_(*std::construct_at(reinterpret_cast<SlotValuesRef*>(space.data()))) {}
  ~Slots() { values_ = nullptr; }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

 private:
  SlotValuesRef& values_;
};

}  // namespace

SlotValuesRef& thread_slots() noexcept {
  static const thread_local Slots slots;
  return *std::launder(reinterpret_cast<SlotValuesRef*>(space.data()));
}

}  // namespace perigee::orb
