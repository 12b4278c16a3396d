// Opens a library by name. The folder of this library comes first: a copy elsewhere may have
// another version.
#include "transport/companion.h"

#include <perigee/transport/plugin.h>

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace perigee::transport {
namespace {

std::filesystem::path own_folder() {
  Dl_info info{};
  if (::dladdr(&plugin_home, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

// A relative path counts from the working directory in which the program was started. The program
// may have another working directory now, so a relative path is not used.
void* open_library(const char* file) {
  const std::filesystem::path beside = own_folder() / file;
  std::error_code failed;
  if (beside.is_absolute() && std::filesystem::is_regular_file(beside, failed))
    if (void* const library = ::dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

std::expected<const void*, IoError> companion_symbol(const char* file, const char* symbol) {
  void* const library = open_library(file);
  const void* const address = library != nullptr ? ::dlsym(library, symbol) : nullptr;
  if (address != nullptr) return address;
  const char* const why = ::dlerror();
  return std::unexpected(IoError{IoErrorKind::bad_plugin, IoOperation::load, 0,
                                 std::string(file) + " (" + (why != nullptr ? why : "") + ")"});
}

}  // namespace perigee::transport
