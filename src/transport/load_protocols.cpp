// Loads plug-ins with protocols. A faulty plug-in is an error of loading; it does not end the
// process.
#include "transport/plugin_library.h"
#include <perigee/transport/plugin.h>
#include <perigee/transport/registry.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace perigee::transport {

std::expected<void, IoError> ProtocolRegistry::load(const std::string& path) {
  try {
    const auto plugin = load_plugin<Plugin>(path, plugin_symbol);
    if (!plugin) return std::unexpected(plugin.error());
    if ((*plugin)->make_parts == nullptr)
      return std::unexpected(unusable_plugin(path, "its description names no function"));
    ProtocolParts parts;
    (*plugin)->make_parts(parts);
    if (parts.transports.empty() && parts.messagings.empty() && parts.schemes.empty())
      return std::unexpected(unusable_plugin(path, "it has no protocols"));
    return add(std::move(parts));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    return std::unexpected(
        unusable_plugin(path, std::string("it has failed: ") + exception.what()));
  } catch (...) {
    return std::unexpected(
        unusable_plugin(path, "it has failed with an exception of no standard type"));
  }
}

}  // namespace perigee::transport
