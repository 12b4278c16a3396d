// The ORB initializers that plug-ins bring.
#pragma once

#include <perigee/dynamic/orb_initializer.h>

#include <vector>

namespace perigee::orb {
struct Settings;
}

namespace perigee::interceptors {

using InitializerRef = CORBA::object_reference<PortableInterceptor::ORBInitializer>;

/// Makes the initializers of the libraries that -ORBInitializerLibrary names, in their order.
/// Raises CORBA::INITIALIZE with the reason if one of them cannot be loaded or fails.
[[nodiscard]] std::vector<InitializerRef> load_initializers(const orb::Settings& settings);

}  // namespace perigee::interceptors
