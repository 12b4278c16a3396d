// A plug-in of another ORB: its description names another build.
#include <perigee/dynamic/initializer_plugin.h>

extern "C" PERIGEE_API const perigee::InitializerPlugin* perigee_initializer_plugin() {
  static const perigee::InitializerPlugin plugin{perigee::InitializerPlugin::magic_number,
                                                 "gcc 4, headers 0.0.1",
                                                 &perigee::transport::plugin_home, nullptr};
  return &plugin;
}
