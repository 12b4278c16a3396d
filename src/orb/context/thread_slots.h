// Values that interceptors and applications attach to a thread (PortableInterceptor::Current). The
// core only stores them for threads and for tasks that wait; the layer `dynamic` knows their
// contents.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>

#include <atomic>
#include <utility>

namespace perigee::orb {

/// Immutable, so threads and waiting tasks share it.
class PERIGEE_INTERNAL_TYPE SlotValues {
 public:
  SlotValues() = default;
  SlotValues(const SlotValues&) = delete;
  SlotValues& operator=(const SlotValues&) = delete;
  virtual ~SlotValues() = default;
};

/// Null: no slot has a value.
using SlotValuesRef = counted_ptr<const SlotValues>;

/// The values of the calling thread. A task keeps them while it waits. Null while the thread ends,
/// after the destructors of its variables.
[[nodiscard]] PERIGEE_INTERNAL_API SlotValuesRef& thread_slots() noexcept;

/// False until a slot gets a value in this process: until then, no task needs to keep slots.
extern PERIGEE_INTERNAL_API std::atomic<bool> slots_in_use;

/// False until a slot gets a value in this process, or an ORB of this process gets server
/// interceptors. So an upcall needs only one test for slots and interceptors.
extern PERIGEE_INTERNAL_API std::atomic<bool> upcalls_are_extended;

/// Sets both variables. Called before a slot gets a value.
PERIGEE_INTERNAL_API void use_slots() noexcept;

/// Gives the thread other values, as long as the scope lives.
class SlotScope {
 public:
  explicit SlotScope(SlotValuesRef values) noexcept
      : outer_(std::exchange(thread_slots(), std::move(values))) {}
  ~SlotScope() { thread_slots() = std::move(outer_); }
  SlotScope(const SlotScope&) = delete;
  SlotScope& operator=(const SlotScope&) = delete;

 private:
  SlotValuesRef outer_;
};

}  // namespace perigee::orb
