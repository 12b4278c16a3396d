// Plug-ins with faulty descriptions. The macro PLUGIN_BRINGS selects the fault: `strange` is built
// for another ORB, `no_build` and `no_function` lack a field, and `thrown` throws an exception.
#include <perigee/dynamic/initializer_plugin.h>

#include <stdexcept>

namespace {

enum class Brings { strange, no_build, no_function, thrown };

const char* build_of(Brings brings) {
  if (brings == Brings::no_build) return nullptr;
  return brings == Brings::strange ? "gcc 4, headers 0.0.1" : perigee::transport::plugin_build;
}

}  // namespace

extern "C" PERIGEE_API const perigee::InitializerPlugin* perigee_initializer_plugin() {
  constexpr auto brings = Brings::PLUGIN_BRINGS;
  if (brings == Brings::thrown) throw std::runtime_error("out of order");
  static const perigee::InitializerPlugin plugin{perigee::InitializerPlugin::magic_number,
                                                 build_of(brings), &perigee::transport::plugin_home,
                                                 nullptr};
  return &plugin;
}
