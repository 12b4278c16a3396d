// Reads the tagged components of a reference: data that its server has put there, with a
// TaggedComponentPolicy or an IOR interceptor.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/iop_types.h>
#include <perigee/orb/object.h>

namespace perigee {

/// The components with this tag in the first IIOP profile of the reference, in their order. Empty
/// if there are none. Sends no request. Any thread. Raises INV_OBJREF for nil, NO_IMPLEMENT for a
/// local object, and MARSHAL for a malformed profile, or one beyond the ORB's limits for
/// references.
[[nodiscard]] PERIGEE_API IOP::TaggedComponentSeq tagged_components(
    const CORBA::object_reference<CORBA::Object>& object, IOP::ComponentId tag);

}  // namespace perigee
