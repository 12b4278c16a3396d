// The states of adapters as IOR interceptors see them, and the exceptions of IOR interceptors that
// are not passed to a caller.
#pragma once

#include <perigee/dynamic/ior_interceptor.h>
#include <perigee/poa/poa.h>

namespace perigee::interceptors {

[[nodiscard]] PortableInterceptor::AdapterState state_of(
    PortableServer::POAManager::State state) noexcept;

/// Writes the exception that is being handled to the log. `function`: the function of the
/// interceptor that has thrown.
void log_thrown(const char* function) noexcept;

}  // namespace perigee::interceptors
