// The exports of a plug-in: a shared library with protocols, for ProtocolRegistry::load. It is
// built by the same compiler as the ORB, with the same headers, and linked with libperigee.so.
#pragma once

#include <perigee/base/export.h>
#include <perigee/transport/headers_id.h>
#include <perigee/transport/registry.h>

#include <cstdint>
#include <version>

#define PERIGEE_TEXT_OF(number) PERIGEE_TEXT(number)
#define PERIGEE_TEXT(number) #number

namespace perigee::transport {

/// The properties that an ORB and a plug-in must share, since they exchange C++ objects. These are
/// the compiler, the standard library, and the headers of the interface (a hash of their text).
inline constexpr char plugin_build[] =
#ifdef __clang__
    "clang " PERIGEE_TEXT_OF(__clang_major__)
#else
    "gcc " PERIGEE_TEXT_OF(__GNUC__)
#endif
#ifdef _GLIBCXX_RELEASE
        ", libstdc++ " PERIGEE_TEXT_OF(_GLIBCXX_RELEASE)
#if !_GLIBCXX_USE_CXX11_ABI
            " (old strings)"
#endif
#ifdef _GLIBCXX_DEBUG
            " (debug mode)"
#endif
#else
        ", libc++ " PERIGEE_TEXT_OF(_LIBCPP_VERSION)
#endif
            ", headers " PERIGEE_HEADERS_ID;

/// The address of this variable identifies one copy of the ORB library in a process. A plug-in must
/// be linked with the copy that loads it.
PERIGEE_API extern const char plugin_home;

/// The first two members are the same in all versions.
struct Plugin {
  static constexpr std::uint64_t magic_number = 0x5045'5249'4745'4531;  // "PERIGEE1"

  std::uint64_t magic;
  const char* build;
  const char* home;
  /// Makes the parts of the plug-in for one ORB. Called once for each ORB. May throw. Any thread.
  void (*make_parts)(ProtocolParts& parts);
};

/// The name of the function that a plug-in exports.
inline constexpr char plugin_symbol[] = "perigee_protocol_plugin";
using PluginFunction = const Plugin*();

}  // namespace perigee::transport

/// Makes a shared library a plug-in. Use it once, outside of all namespaces. `make` is a function
/// `void(perigee::transport::ProtocolParts&)` that adds the plug-in's parts to its argument.
#define PERIGEE_PROTOCOL_PLUGIN(make)                                                            \
  extern "C" PERIGEE_API const ::perigee::transport::Plugin* perigee_protocol_plugin() {         \
    static const ::perigee::transport::Plugin plugin{::perigee::transport::Plugin::magic_number, \
                                                     ::perigee::transport::plugin_build,         \
                                                     &::perigee::transport::plugin_home, make};  \
    return &plugin;                                                                              \
  }
