// Rules for the clients of services.
#pragma once

#include <cstdint>
#include <string>

namespace perigee::services {

/// Which clients may do something. A client needs to fit one rule. Calls within the process may.
struct AccessRule {
  enum class Kind : std::uint8_t {
    any,
    local,        ///< clients on this host: UNIX-domain sockets, shared memory, loopback addresses
    user,         ///< the number of a user, for UNIX-domain sockets: "1000"
    subject,      ///< the subject of a verified certificate: "CN=teller,O=Bank"
    dns_name,     ///< an alternative name of a verified certificate
    fingerprint,  ///< SHA-256 of a verified certificate, in hexadecimal digits
  };
  Kind kind = Kind::local;
  std::string value;
  friend bool operator==(const AccessRule&, const AccessRule&) = default;
};

}  // namespace perigee::services
