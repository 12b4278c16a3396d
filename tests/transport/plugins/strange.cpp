// Plug-ins of other ORBs: the build defines their version data.
#include <perigee/transport/plugin.h>

#ifndef STRANGE_HOME
#define STRANGE_HOME other_home
#endif

using perigee::transport::Plugin;

namespace {
[[maybe_unused]] const char other_home = 0;
}

extern "C" PERIGEE_API const Plugin* perigee_protocol_plugin() {
  [[maybe_unused]] constexpr auto magic = Plugin::magic_number;
  [[maybe_unused]] static constexpr const char* build = perigee::transport::plugin_build;
  static const Plugin plugin{STRANGE_MAGIC, STRANGE_BUILD, &STRANGE_HOME, nullptr};
  return &plugin;
}
