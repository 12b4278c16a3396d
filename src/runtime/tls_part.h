// TLS, which is in a library of its own, libperigee_tls: only programs that use TLS load OpenSSL.
#pragma once

#include <perigee/transport/tls.h>

#include <expected>
#include <memory>

namespace perigee::runtime {

/// transport::make_tls_protocol, from libperigee_tls: from the program, if it is linked with that
/// library, or else from the file beside this library or where the system's libraries are. Errors:
/// also IoErrorKind::bad_plugin, if the library cannot be loaded or was built for another ORB.
std::expected<std::unique_ptr<transport::ProtocolFactory>, IoError> make_tls(
    const transport::TlsOptions& options, std::unique_ptr<transport::ProtocolFactory> tcp);

}  // namespace perigee::runtime
