// Opens the libraries of plug-ins, and checks what they export.
#include "transport/plugin_library.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace perigee::transport {

const char plugin_home = 0;

namespace {

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

std::unexpected<IoError> unusable(const std::string& path, const std::string& why) {
  return std::unexpected(unusable_plugin(path, why));
}

}  // namespace

IoError unusable_plugin(const std::string& path, const std::string& why) {
  return {IoErrorKind::bad_plugin, IoOperation::load, 0, path + " (" + why + ")"};
}

void PluginLibrary::Unload::operator()(void* library) const noexcept { ::dlclose(library); }

std::expected<PluginLibrary, IoError> PluginLibrary::open(const std::string& path) {
  if (path.empty()) return unusable("''", "a path is needed");  // it would mean the program itself
  if (!may_be_opened(path)) return unusable(path, "it is not a regular file");
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return unusable(path, last_error() + hint_for(path));
  return PluginLibrary(path, library);
}

std::expected<void*, IoError> PluginLibrary::function(const char* symbol) const {
  void* const address = ::dlsym(library_.get(), symbol);
  if (address == nullptr)
    return unusable(path_, std::string("not a plug-in: there is no symbol ") + symbol);
  if (!is_function(address))
    return unusable(path_, std::string("not a plug-in: ") + symbol + " is not a function");
  return address;
}

std::expected<void, IoError> PluginLibrary::check_fit(const char* build, const char* home) const {
  if (build == nullptr) return unusable(path_, "its description names no build");
  if (std::string_view(build) != plugin_build)
    return unusable(path_, "built with " + std::string(build) + ", the ORB with " + plugin_build);
  if (home != &plugin_home)
    return unusable(path_, "linked with another copy of the ORB than the program");
  return {};
}

}  // namespace perigee::transport
