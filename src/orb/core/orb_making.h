// The hook of ORB initializers: a function that ORB_init calls for each new ORB.
#pragma once

#include <perigee/base/export.h>

#include <memory>
#include <string>
#include <vector>

namespace perigee::orb {

class OrbCore;

/// `arguments`: of ORB_init, without the options of the ORB. May throw: then ORB_init fails.
using OrbMakingHook = void (*)(const std::shared_ptr<OrbCore>& core,
                               const std::vector<std::string>& arguments);

/// Any thread. The hook concerns ORBs that are made from now on.
PERIGEE_INTERNAL_API void set_orb_making_hook(OrbMakingHook hook) noexcept;
/// Null until a hook is set.
[[nodiscard]] OrbMakingHook orb_making_hook() noexcept;

}  // namespace perigee::orb
