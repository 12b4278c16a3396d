// Decides whether a client trusts a UNIX-domain socket and its server. Private to transport/local.
#pragma once

#include <perigee/transport/local.h>

#include <cstdint>
#include <optional>
#include <string>

namespace perigee::transport {

/// `address`: "/path" or "@name". Checks only the text, not the file.
bool trusts_place(const LocalTrust& trust, const std::string& address);
/// Whether the trust allows the socket that is at the address now. If the trust names no places,
/// the file must have a server's mark. True for a path without a socket: connecting will fail.
bool trusts_socket(const LocalTrust& trust, const std::string& address);
/// The numbers of users in the user namespace of this process.
struct UserNumbers {
  std::uint32_t own;
  /// The number that stands for all users of other user namespaces; std::nullopt if every user has
  /// a number here.
  std::optional<std::uint32_t> of_others;

  /// Whether the number stands for exactly one user.
  [[nodiscard]] bool tells_apart(std::uint32_t user) const noexcept { return user != of_others; }
};
/// `map`: the text of /proc/self/uid_map; `overflow`: the text of /proc/sys/kernel/overflowuid.
UserNumbers user_numbers(std::uint32_t own, const std::string& map, const std::string& overflow);
/// The numbers for the user that this process runs as now.
UserNumbers user_numbers_here();
/// `user`: the user of the server, as the system reports it.
bool trusts_user(const LocalTrust& trust, std::uint32_t user, const UserNumbers& here) noexcept;

}  // namespace perigee::transport
