// The exports of a plug-in with an ORB initializer: a shared library that -ORBInitializerLibrary
// loads. So interceptors, service contexts and components come into a program that knows nothing of
// them. Link the library with Perigee::dynamic. See docs/interceptors.md.
#pragma once

#include <perigee/base/export.h>
#include <perigee/dynamic/orb_initializer.h>
#include <perigee/transport/plugin.h>

#include <cstdint>

namespace perigee {

/// The first two members are the same in all versions.
struct InitializerPlugin {
  static constexpr std::uint64_t magic_number = 0x5045'5249'4749'4e31;  // "PERIGIN1"

  std::uint64_t magic;
  const char* build;  ///< transport::plugin_build
  const char* home;   ///< the address of transport::plugin_home
  /// Makes the initializer of one ORB. Called once for each ORB, on the thread of ORB_init. May
  /// throw: then ORB_init raises INITIALIZE. Several threads may call it at once.
  CORBA::object_reference<PortableInterceptor::ORBInitializer> (*make)();
};

/// The name of the function that a plug-in exports.
inline constexpr char initializer_plugin_symbol[] = "perigee_initializer_plugin";

}  // namespace perigee

/// Makes a shared library a plug-in. Use it once, outside of all namespaces. `make` is a function
/// without parameters that returns a new ORB initializer. The same library may also be a plug-in
/// with protocols.
#define PERIGEE_INITIALIZER_PLUGIN(make)                                                         \
  extern "C" PERIGEE_API const ::perigee::InitializerPlugin* perigee_initializer_plugin() {      \
    static const ::perigee::InitializerPlugin plugin{::perigee::InitializerPlugin::magic_number, \
                                                     ::perigee::transport::plugin_build,         \
                                                     &::perigee::transport::plugin_home, make};  \
    return &plugin;                                                                              \
  }
