// Finds the library, and checks that it was built for this ORB.
#include "runtime/tls_part.h"

#include "transport/tls/tls_library.h"
#include <perigee/transport/plugin.h>

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::transport {

// Null in a program that is not linked with libperigee_tls.
[[gnu::weak]] PERIGEE_API std::expected<std::unique_ptr<ProtocolFactory>, IoError>
make_tls_protocol(const TlsOptions& options, std::unique_ptr<ProtocolFactory> tcp);

}  // namespace perigee::transport

namespace perigee::runtime {
namespace {

using transport::tls::TlsLibrary;

std::unexpected<IoError> unusable(const std::string& why) {
  return std::unexpected(IoError{IoErrorKind::bad_plugin, IoOperation::load, 0,
                                 std::string(transport::tls::library_file) + " (" + why + ")"});
}

// The folder of the file that contains this code.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (::dladdr(&transport::plugin_home, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

// The library stays mapped until the process ends, as plug-ins do.
void* open_library() {
  const std::filesystem::path beside = own_folder() / transport::tls::library_file;
  std::error_code failed;
  if (std::filesystem::is_regular_file(beside, failed))
    if (void* const library = ::dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return ::dlopen(transport::tls::library_file, RTLD_NOW | RTLD_LOCAL);
}

std::expected<const TlsLibrary*, IoError> load() {
  void* const library = open_library();
  if (library == nullptr) {
    const char* const why = ::dlerror();
    return unusable(std::string(why != nullptr ? why : "unknown error") +
                    "; TLS needs this library (Debian: libperigee-tls)");
  }
  const auto* const part =
      static_cast<const TlsLibrary*>(::dlsym(library, transport::tls::library_symbol));
  if (part == nullptr || std::string_view(part->build) != transport::plugin_build)
    return unusable("it was built for another version of libperigee");
  if (part->home != &transport::plugin_home)
    return unusable(
        "the program contains a static copy of Perigee: link it with Perigee::static_tls, too");
  return part;
}

}  // namespace

std::expected<std::unique_ptr<transport::ProtocolFactory>, IoError> make_tls(
    const transport::TlsOptions& options, std::unique_ptr<transport::ProtocolFactory> tcp) {
  if (&transport::make_tls_protocol != nullptr)
    return transport::make_tls_protocol(options, std::move(tcp));
  const auto library = load();
  if (!library) return std::unexpected(library.error());
  return (*library)->make(options, std::move(tcp));
}

}  // namespace perigee::runtime
