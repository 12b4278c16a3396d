// Finds libperigee_tls, and checks that it was built for this ORB.
#include "runtime/tls_part.h"

#include "transport/companion.h"
#include "transport/tls/tls_library.h"
#include <perigee/transport/plugin.h>

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

std::expected<const TlsLibrary*, IoError> load_tls_library() {
  const auto symbol =
      transport::companion_symbol(transport::tls::library_file, transport::tls::library_symbol);
  if (!symbol) {
    IoError error = symbol.error();
    error.endpoint += "; TLS needs this library of Perigee";
    return std::unexpected(std::move(error));
  }
  const auto* const part = static_cast<const TlsLibrary*>(*symbol);
  if (std::string_view(part->build) != transport::plugin_build)
    return unusable("it was built for another version of libperigee");
  if (part->home != &transport::plugin_home)
    return unusable(
        "the program contains a static copy of Perigee: link it with Perigee::static_tls, too");
  return part;
}

}  // namespace

std::expected<std::unique_ptr<transport::ProtocolFactory>, IoError> make_tls(
    const transport::TlsOptions& wanted, std::unique_ptr<transport::ProtocolFactory> tcp) {
  if (&transport::make_tls_protocol != nullptr)
    return transport::make_tls_protocol(wanted, std::move(tcp));
  const auto loaded = load_tls_library();
  if (!loaded) return std::unexpected(loaded.error());
  return (*loaded)->make(wanted, std::move(tcp));
}

}  // namespace perigee::runtime
