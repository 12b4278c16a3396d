// corbaloc URLs: addresses and an object key, or an initial reference's name.
#pragma once

#include <perigee/base/export.h>
#include <perigee/iop/ior.h>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::iop {

/// One address of a corbaloc: `iiop:1.2@host:port`, `:host`, `uiop:1.2@/path`, …
struct CorbalocAddress {
  std::string scheme;  ///< "iiop" if the URL has no scheme
  std::uint8_t major = 1;
  std::uint8_t minor = 0;  ///< 1.0 if the URL has no version (CORBA 3.0, 13.6.10.3)
  std::string address;     ///< as written after the version: "host:port", "[::1]:2809", "/path",
                           ///< "@name"; for iiop without a host, begins with "localhost"
  friend bool operator==(const CorbalocAddress&, const CorbalocAddress&) = default;
};

/// A parsed corbaloc. If `rir` is set, there are no addresses, and `object_key` is the name of the
/// initial reference ("NameService" if it is empty).
struct Corbaloc {
  bool rir = false;
  std::vector<CorbalocAddress> addresses;
  ObjectKey object_key;  ///< with %-escapes decoded
  friend bool operator==(const Corbaloc&, const Corbaloc&) = default;
};

/// The port to which an address refers if it has no port.
inline constexpr std::uint16_t corbaloc_port_default = 2809;

/// Addresses of iiop are checked; other addresses are checked by their protocols. An address of
/// another scheme that begins with '/' or '@' ends at ',' or '|', and the key follows the '|'. At
/// most 65536 characters and 64 addresses. White space at the end is ignored.
/// Errors: `bad_scheme` (no "corbaloc:"), `bad_address`, `bad_specific` (key), `other` (limits).
/// Source: CORBA 3.0, 13.6.10.1 "corbaloc URL".
PERIGEE_API std::expected<Corbaloc, ReferenceError> parse_corbaloc(std::string_view url);

/// An object key in the form of a corbaloc. Characters that the standard does not list are
/// %-escaped.
PERIGEE_API std::string escape_key(OctetSpan key);

/// "host:port", "[v6]:port" or "host" → host without brackets, and port (`default_port` if none).
struct HostPort {
  std::string host;
  std::uint16_t port = 0;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};
/// The host may be empty, and the port 0: the caller decides what that means. Error: `bad_address`.
PERIGEE_API std::expected<HostPort, ReferenceError> parse_host_port(std::string_view text,
                                                                    std::uint16_t default_port);

}  // namespace perigee::iop
