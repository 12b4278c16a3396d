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
/// Who may connect where nothing else is said: the user who listens.
inline constexpr std::uint32_t default_mode = 0600;

/// What is said of addresses that are none.
inline constexpr const char* address_needed = "/<path> or @<name> is needed, of at most 107 octets";

/// Where somebody listens, as references say it.
struct LocalAddress {
  std::string text;  ///< "/path" or "@name"
  ipc::UnixAddr place;
  std::optional<std::uint32_t> user;  ///< who must be the one that listens; if it is said
};

/// Where a server shall listen, as people write it.
struct LocalListenAddress {
  LocalAddress address;
  std::uint32_t mode = default_mode;  ///< of the file; abstract names have none
  bool for_omniorb = false;           ///< references lead there as those of omniORB do
};

/// An absolute path, or '@' and a name, then perhaps "?user=<number>". Nothing if it is neither, or
/// too long.
std::optional<LocalAddress> parse_local_address(std::string_view text);
/// The same address, with the user who listens there.
std::string published_address(const LocalAddress& address, std::uint32_t user);
/// Errors: bad_address, with the whole endpoint.
std::expected<LocalListenAddress, IoError> parse_local_listen_address(const Endpoint& endpoint);

}  // namespace perigee::transport
