// The servants of the interfaces: one servant for each kind of definition serves all objects of
// this kind.
#pragma once

#include "repository/shared.h"
#include <perigee/poa/servant.h>

namespace perigee::repository {

/// The servant of the kind, or null for a kind of which no objects exist. `shared` outlives it.
[[nodiscard]] CORBA::servant_reference<PortableServer::Servant> make_servant(Kind kind,
                                                                             Shared& shared);

}  // namespace perigee::repository
