// Reads the service contexts of the request that a servant executes: data that the client has
// added, with a ServiceContextPolicy or an interceptor.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/iop_types.h>

#include <optional>

namespace perigee {

/// The service context with this id, of the request whose upcall the calling thread is in. Empty if
/// the request has none, and outside of upcalls. A servant that replies later, or that is a
/// coroutine, calls the function before it returns or suspends. Throws std::bad_alloc.
[[nodiscard]] PERIGEE_API std::optional<IOP::ServiceContext> request_service_context(
    IOP::ServiceId id);

}  // namespace perigee
