// TLS, which is in a library of its own, libperigee_tls: only programs that use TLS load OpenSSL.
#pragma once

#include <perigee/transport/tls.h>

#include <expected>
#include <memory>

namespace perigee::runtime {

/// Calls transport::make_tls_protocol of libperigee_tls. If the program is not linked with this
/// library, loads its file from the folder of libperigee or from the system's folders of libraries.
/// Errors: those of make_tls_protocol. Also IoErrorKind::bad_plugin, if the file cannot be loaded,
/// or was built for another ORB.
std::expected<std::unique_ptr<transport::ProtocolFactory>, IoError> make_tls(
    const transport::TlsOptions& options, std::unique_ptr<transport::ProtocolFactory> tcp);

}  // namespace perigee::runtime
