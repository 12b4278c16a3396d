// The upcalls of each thread, as a list on its stack.
#include "orb/context/upcall_scope.h"

#include <utility>

namespace perigee::orb {

namespace {
thread_local const UpcallScope* innermost_upcall = nullptr;
}  // namespace

UpcallScope::UpcallScope(const OrbContext& orb) noexcept
    : orb_(&orb), outer_(std::exchange(innermost_upcall, this)) {}

UpcallScope::UpcallScope(None /*none*/) noexcept
    : orb_(nullptr), outer_(std::exchange(innermost_upcall, this)) {}

UpcallScope::~UpcallScope() { innermost_upcall = outer_; }

const UpcallScope* UpcallScope::innermost() noexcept { return innermost_upcall; }

bool UpcallScope::inside(const OrbContext& orb) noexcept {
  for (const UpcallScope* scope = innermost_upcall; scope != nullptr; scope = scope->outer_)
    if (scope->orb_ == &orb) return true;
  return false;
}

}  // namespace perigee::orb
