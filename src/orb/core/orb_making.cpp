// The hook of ORB initializers. The layer `dynamic` sets it, since the core knows no initializers.
#include "orb/core/orb_making.h"

#include <atomic>

namespace perigee::orb {

namespace {

constinit std::atomic<OrbMakingHook> making_hook{nullptr};

}  // namespace

void set_orb_making_hook(OrbMakingHook hook) noexcept { making_hook.store(hook); }
OrbMakingHook orb_making_hook() noexcept { return making_hook.load(); }

}  // namespace perigee::orb
