// Copies the service contexts of a request, since the message may end before they are used.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/iop_types.h>
#include <perigee/orb/server_request.h>

#include <optional>

namespace perigee::poa {

[[nodiscard]] IOP::ServiceContext copy_of(const iop::ServiceContext& context);
/// Empty if the request has no context with this id.
[[nodiscard]] PERIGEE_INTERNAL_API std::optional<IOP::ServiceContext> context_in(
    const orb::ServerRequest& request, IOP::ServiceId id);

}  // namespace perigee::poa
