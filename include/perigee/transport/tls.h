// The protocol `ssliop`: GIOP over TLS. It is in a library of its own, libperigee_tls, so that only
// programs with TLS load OpenSSL. The default assembly (`runtime`) loads that library.
#pragma once

#include <perigee/base/export.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

namespace perigee::transport {

/// Whether a server asks its clients for certificates. `optional`: a client without a certificate
/// is served; a certificate that cannot be verified is refused.
enum class ClientCertificates : std::uint8_t { off, optional, required };

enum class TlsVersion : std::uint8_t { tls_1_2, tls_1_3 };

/// The files are in PEM format. ProtocolFactory::reload reads them again.
struct TlsOptions {
  /// The certificate of this process, followed by the certificates of the authorities between it
  /// and the root. Servers need it.
  std::string certificate_file;
  /// The private key of that certificate. The file must belong to the process's user or to root. It
  /// is refused if the group may write it, or if users outside the group have any access.
  std::string key_file;
  /// A file whose first line is the passphrase of the key. The rules of `key_file` hold for it,
  /// too.
  std::string passphrase_file;
  /// The certificate authorities to trust: a file, or a folder in the form of `openssl rehash`.
  /// Empty: clients verify servers with the system's authorities, and a server cannot verify
  /// clients.
  std::string authorities;
  /// Revoked certificates (CRLs): one list for each authority in a chain, or the chain is refused.
  std::string revoked_file;
  /// The name that the certificates of servers must contain, instead of the host of the address.
  std::string peer_name;
  /// The cipher suites of TLS 1.3 ("TLS_AES_128_GCM_SHA256:..."). Empty: those of OpenSSL.
  std::string cipher_suites;
  /// The file to which the secrets of all connections are written, for programs such as Wireshark.
  /// For tests only. Refused if the group or other users may access it.
  std::string key_log_file;
  ClientCertificates client_certificates = ClientCertificates::off;
  TlsVersion version_min = TlsVersion::tls_1_2;
  bool verify_servers = true;
};

/// The factory of scheme "ssliop". Addresses are those of `iiop`. `tcp` is the factory of scheme
/// "iiop", which makes the TCP connections. Errors: IoErrorKind::bad_file, with the file and what
/// to do.
PERIGEE_API std::expected<std::unique_ptr<ProtocolFactory>, IoError> make_tls_protocol(
    const TlsOptions& options, std::unique_ptr<ProtocolFactory> tcp);

}  // namespace perigee::transport
