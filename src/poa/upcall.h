// The upcall that the calling thread is in.
#pragma once

#include "orb/context/upcall_scope.h"
#include "orb/core/orb_core.h"
#include "poa/served_object.h"
#include "poa/slot_table.h"
#include <perigee/orb/server_request.h>

namespace perigee::poa {

/// One upcall, on its thread's stack. Nested upcalls form a list.
class Upcall {
 public:
  using ObjectPin = SlotTable<ActiveObject>::Pin;

  /// `pin` keeps the object in its table; null if the object is not in the table. `scope` is the
  /// scope of the upcall.
  Upcall(const ServedObject& object, orb::ServerRequest& request, const ObjectPin* pin,
         const orb::UpcallScope& scope) noexcept
      : object_(object), request_(request), pin_(pin), scope_(scope), outer_(innermost_) {
    innermost_ = this;
  }
  ~Upcall() { innermost_ = outer_; }
  Upcall(const Upcall&) = delete;
  Upcall& operator=(const Upcall&) = delete;

  /// The upcall that the running code belongs to. nullptr outside of upcalls, and in other work
  /// that runs while an upcall waits: tasks of other requests, and reply handlers.
  [[nodiscard]] static const Upcall* current() noexcept {
    return innermost_ != nullptr && &innermost_->scope_ == orb::UpcallScope::innermost()
               ? innermost_
               : nullptr;
  }
  /// The innermost upcall on the thread's stack, whatever code runs.
  [[nodiscard]] static const Upcall* innermost() noexcept { return innermost_; }
  /// The upcall in which this one is nested, or nullptr.
  [[nodiscard]] const Upcall* outer() const noexcept { return outer_; }
  [[nodiscard]] const ServedObject& object() const noexcept { return object_; }
  [[nodiscard]] orb::ServerRequest& request() const noexcept { return request_; }
  [[nodiscard]] const ObjectPin* pin() const noexcept { return pin_; }

 private:
  static thread_local const Upcall* innermost_;

  const ServedObject& object_;
  orb::ServerRequest& request_;
  const ObjectPin* const pin_;
  const orb::UpcallScope& scope_;
  const Upcall* const outer_;
};

}  // namespace perigee::poa
