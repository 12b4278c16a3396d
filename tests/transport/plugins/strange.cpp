// Plug-ins of other ORBs: the build defines their version data.
#include <perigee/transport/plugin.h>

using perigee::transport::Plugin;

namespace {
const char other_home = 0;
}

extern "C" PERIGEE_API const Plugin* perigee_protocol_plugin() {
  [[maybe_unused]] constexpr auto magic = Plugin::magic_number;
  [[maybe_unused]] static constexpr const char* build = perigee::transport::plugin_build;
  static const Plugin plugin{STRANGE_MAGIC, STRANGE_BUILD, &other_home, nullptr};
  return &plugin;
}
