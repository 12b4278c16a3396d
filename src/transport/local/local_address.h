// Addresses of the scheme "uiop". Private to transport/local.
#pragma once

#include <perigee/base/io_error.h>
#include <perigee/ipc/unix_addr.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::transport {

inline constexpr std::string_view uiop_scheme = "uiop";
/// The default permissions of a socket file: only the server's own user may connect.
inline constexpr std::uint32_t default_mode = 0600;

/// The error text for an invalid address.
inline constexpr const char* address_needed = "/<path> or @<name> is needed, of at most 107 octets";

/// The address of a listening socket, as references publish it.
struct LocalAddress {
  std::string text;  ///< "/path" or "@name"
  ipc::UnixAddr place;
  std::optional<std::uint32_t> user;  ///< the server must run as this user; optional
};

/// The address that a server listens at, with its options, as an operator writes it.
struct LocalListenAddress {
  LocalAddress address;
  std::uint32_t mode = default_mode;  ///< of the file; abstract names have none
  bool for_omniorb = false;           ///< publish the address in the form of omniORB
};

/// Parses an absolute path, or '@' and a name, optionally followed by "?user=<number>".
/// std::nullopt if the text has another form or is too long.
std::optional<LocalAddress> parse_local_address(std::string_view text);
/// The same address with the number of the server's user.
std::string published_address(const LocalAddress& address, std::uint32_t user);
/// Errors: bad_address, with the whole endpoint.
std::expected<LocalListenAddress, IoError> parse_local_listen_address(const Endpoint& endpoint);

}  // namespace perigee::transport
