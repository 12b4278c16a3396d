// Adds tagged components to references.
#pragma once

#include <perigee/base/export.h>
#include <perigee/iop/ior.h>

#include <span>

namespace perigee::orb {

/// Adds the components to the IIOP profiles of the reference. Other profiles have layouts of their
/// own, and IIOP 1.0 has no components.
PERIGEE_INTERNAL_API void add_components(iop::Ior& ior,
                                         std::span<const iop::TaggedComponent> components);

}  // namespace perigee::orb
