// Loads plug-ins with ORB initializers. The libraries stay mapped until the process ends, since
// interceptors of other ORBs may come from them, too.
#include "dynamic/interceptors/initializer_plugins.h"

#include "orb/context/settings.h"
#include "transport/plugin_library.h"
#include <perigee/base/io_error.h>
#include <perigee/dynamic/initializer_plugin.h>
#include <perigee/orb/exceptions.h>

#include <exception>
#include <expected>
#include <new>
#include <string>

namespace perigee::interceptors {

namespace {

std::unexpected<IoError> unusable(const std::string& path, const std::string& why) {
  return std::unexpected(transport::unusable_plugin(path, why));
}

std::expected<InitializerRef, IoError> load_initializer(const std::string& path) {
  try {
    const auto plugin = transport::load_plugin<InitializerPlugin>(path, initializer_plugin_symbol);
    if (!plugin) return std::unexpected(plugin.error());
    if ((*plugin)->make == nullptr) return unusable(path, "its description names no function");
    InitializerRef made = (*plugin)->make();
    if (!made) return unusable(path, "it has no initializer");
    return made;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    return unusable(path, std::string("it has failed: ") + exception.what());
  } catch (...) {
    return unusable(path, "it has failed with an exception of no standard type");
  }
}

}  // namespace

std::vector<InitializerRef> load_initializers(const orb::Settings& settings) {
  std::vector<InitializerRef> initializers;
  for (const std::string& library : settings.initializer_libraries) {
    auto made = load_initializer(library);
    if (!made)
      throw CORBA::INITIALIZE(0, CORBA::COMPLETED_NO,
                              to_string(made.error()) + settings.place_of(library));
    initializers.push_back(std::move(*made));
  }
  return initializers;
}

}  // namespace perigee::interceptors
