// The identity of the other end of a connection: its process, if the operating system reports it,
// and its certificate, if the peer has proved that it owns the key. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace perigee {

/// The process at the other end of a local connection, as the system knows it: the process that
/// connected or listened. `user` and `group` are its effective user and group at that time.
struct PeerIdentity {
  std::int32_t process = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  friend bool operator==(const PeerIdentity&, const PeerIdentity&) = default;
};

/// The certificate of a peer (X.509, RFC 5280), as text. The peer has proved that it owns the key.
struct PeerCertificate {
  std::string subject;                 ///< a distinguished name (RFC 2253): "CN=teller,O=Bank"
  std::string issuer;                  ///< a distinguished name
  std::string serial;                  ///< hexadecimal digits
  std::vector<std::string> dns_names;  ///< the subject's alternative names, by kind
  std::vector<std::string> ip_addresses;
  std::vector<std::string> uris;
  std::vector<std::string> emails;
  std::string fingerprint;  ///< SHA-256 of the certificate, in hexadecimal digits
  /// Whether a chain of certificates leads to a certificate authority that this process trusts. If
  /// not, the names above are only what the peer says.
  bool is_verified = false;
  friend bool operator==(const PeerCertificate&, const PeerCertificate&) = default;
};

}  // namespace perigee
