// The upcall that the calling thread is in.
#pragma once

#include "orb/context/upcall_scope.h"
#include "orb/core/orb_core.h"
#include "poa/served_object.h"
#include "poa/slot_table.h"
#include <perigee/orb/server_request.h>

namespace perigee::poa {

/// Where interceptors will hook in: null until somebody registers.
struct UpcallHooks {
  void* context = nullptr;
  /// Before the upcall; may throw what the client shall get instead.
  void (*before)(void* context, orb::ServerRequest& request) = nullptr;
  /// When the request is answered: after the servant has returned or thrown, or later, by the
  /// thread that answers. Must not throw.
  void (*after)(void* context, orb::ServerRequest& request) noexcept = nullptr;
};

/// One upcall, on its thread's stack; nested ones form a list.
class Upcall {
 public:
  using ObjectPin = SlotTable<ActiveObject>::Pin;

  /// `pin`: by which the object was found; null if it is not in the table. `scope` is around it.
  Upcall(const ServedObject& object, orb::ServerRequest& request, const ObjectPin* pin,
         const UpcallHooks* hooks, const orb::UpcallScope& scope) noexcept
      : object_(object),
        request_(request),
        pin_(pin),
        hooks_(hooks),
        scope_(scope),
        outer_(innermost_) {
    innermost_ = this;
  }
  ~Upcall() { innermost_ = outer_; }
  Upcall(const Upcall&) = delete;
  Upcall& operator=(const Upcall&) = delete;

  /// The one that the running code belongs to; nullptr outside of upcalls, and in what else is done
  /// while an upcall waits: other requests' tasks, and handlers of replies.
  [[nodiscard]] static const Upcall* current() noexcept {
    return innermost_ != nullptr && &innermost_->scope_ == orb::UpcallScope::innermost()
               ? innermost_
               : nullptr;
  }
  /// Of those on the thread's stack, whatever runs.
  [[nodiscard]] static const Upcall* innermost() noexcept { return innermost_; }
  /// The upcall in which this one is nested, or nullptr.
  [[nodiscard]] const Upcall* outer() const noexcept { return outer_; }
  [[nodiscard]] const ServedObject& object() const noexcept { return object_; }
  [[nodiscard]] orb::ServerRequest& request() const noexcept { return request_; }
  [[nodiscard]] const ObjectPin* pin() const noexcept { return pin_; }
  [[nodiscard]] const UpcallHooks* hooks() const noexcept { return hooks_; }

 private:
  static thread_local const Upcall* innermost_;

  const ServedObject& object_;
  orb::ServerRequest& request_;
  const ObjectPin* const pin_;
  const UpcallHooks* const hooks_;
  const orb::UpcallScope& scope_;
  const Upcall* const outer_;
};

}  // namespace perigee::poa
