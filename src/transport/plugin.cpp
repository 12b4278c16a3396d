// Loads plug-ins. A faulty plug-in is an error of loading; it does not end the process.
#include <perigee/transport/plugin.h>

#include <dlfcn.h>
#include <link.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace perigee::transport {

const char plugin_home = 0;

namespace {

struct Unload {
  void operator()(void* library) const noexcept { ::dlclose(library); }
};
using Library = std::unique_ptr<void, Unload>;

std::unexpected<IoError> unusable(const std::string& path, const std::string& why) {
  return std::unexpected(
      IoError{IoErrorKind::bad_plugin, IoOperation::load, 0, path + " (" + why + ")"});
}

// Opening a FIFO would wait for its other end and block every thread that loads a library. A name
// without a folder is looked for in the system's library folders.
bool may_be_opened(const std::string& path) {
  if (path.find('/') == std::string::npos) return true;
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(path, failed);
  return failed || !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

std::string last_error() {
  const char* const text = ::dlerror();
  return text != nullptr ? text : "unknown error";
}

// A path is opened as it is. The loader looks for a bare name in the system's folders; users expect
// the present folder.
std::string hint_for(const std::string& path) {
  if (path.find('/') != std::string::npos) return {};
  return "; a name without a folder is looked for where the system's libraries are: write ./" +
         path + " for a file in this folder";
}

// A data symbol of the same name would be executed as code.
bool is_function(const void* symbol) {
  Dl_info info{};
  void* found = nullptr;
  if (::dladdr1(symbol, &info, &found, RTLD_DL_SYMENT) == 0) return false;
  const auto* const entry = static_cast<const ElfW(Sym)*>(found);  // low four bits: its type
  return entry != nullptr && (entry->st_info & 0xf) == STT_FUNC;
}

// The file may contain anything. The fields of the plug-in are checked in order, and the check
// stops at the first field that does not fit.
std::expected<const Plugin*, IoError> plugin_of(const Library& library, const std::string& path) {
  void* const symbol = ::dlsym(library.get(), plugin_symbol);
  if (symbol == nullptr)
    return unusable(path, std::string("not a plug-in: there is no symbol ") + plugin_symbol);
  if (!is_function(symbol))
    return unusable(path, std::string("not a plug-in: ") + plugin_symbol + " is not a function");
  const Plugin* const plugin = reinterpret_cast<PluginFunction*>(symbol)();
  if (plugin == nullptr || plugin->magic != Plugin::magic_number)
    return unusable(path, "not a plug-in of this ORB, or made for another plug-in interface");
  if (std::string(plugin->build) != plugin_build)
    return unusable(path,
                    "built with " + std::string(plugin->build) + ", the ORB with " + plugin_build);
  if (plugin->home != &plugin_home)
    return unusable(path, "linked with another copy of the ORB than the program");
  return plugin;
}

}  // namespace

std::expected<void, IoError> ProtocolRegistry::load(const std::string& path) {
  if (path.empty()) return unusable("''", "a path is needed");  // it would mean the program itself
  if (!may_be_opened(path)) return unusable(path, "it is not a regular file");
  Library library(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library) return unusable(path, last_error() + hint_for(path));
  try {
    const auto plugin = plugin_of(library, path);
    if (!plugin) return std::unexpected(plugin.error());
    // Pointers into the library may exist from now on: the library stays loaded, even after an
    // error.
    [[maybe_unused]] void* const mapped = library.release();
    ProtocolParts parts;
    (*plugin)->make_parts(parts);
    if (parts.transports.empty() && parts.messagings.empty() && parts.schemes.empty())
      return unusable(path, "it has no protocols");
    return add(std::move(parts));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    return unusable(path, std::string("it has failed: ") + exception.what());
  } catch (...) {
    return unusable(path, "it has failed with an exception of no standard type");
  }
}

}  // namespace perigee::transport
