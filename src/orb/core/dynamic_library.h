// The exports of libperigee_dynamic, for the layer `runtime`, which loads the library by name if an
// option needs interceptors.
#pragma once

#include <perigee/base/export.h>
#include <perigee/transport/plugin.h>

namespace perigee::orb {

/// The object that libperigee_dynamic exports under `dynamic_library_symbol`. The fields are
/// checked in this order.
struct DynamicLibrary {
  const char* build;  ///< plugin_build
  const char* home;   ///< the address of plugin_home
  /// Lets new ORBs have interceptors.
  void (*use_interceptors)() noexcept;
};
inline constexpr char dynamic_library_symbol[] = "perigee_dynamic_library";

}  // namespace perigee::orb

namespace perigee::interceptors {

/// Null in a program that is not linked with libperigee_dynamic.
[[gnu::weak]] PERIGEE_API void use_interceptors() noexcept;

}  // namespace perigee::interceptors
