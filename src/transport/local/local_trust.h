// What a client's trust allows. Private to transport/local.
#pragma once

#include <perigee/transport/local.h>

#include <cstdint>
#include <optional>
#include <string>

namespace perigee::transport {

/// `address`: "/path" or "@name". Does not look at the path.
bool trusts_place(const LocalTrust& trust, const std::string& address);
/// Whether the trust allows the socket that is at the address now: without places, the file must
/// have a server's mark. True for a path where no socket is: connecting will fail.
bool trusts_socket(const LocalTrust& trust, const std::string& address);
/// What this process can know of users' numbers.
struct UserNumbers {
  std::uint32_t own;
  /// What the system says of all users that have no number here, those of other user namespaces;
  /// nothing where every user has a number.
  std::optional<std::uint32_t> of_others;

  /// Whether the number stands for one user.
  [[nodiscard]] bool tells_apart(std::uint32_t user) const noexcept { return user != of_others; }
};
/// `map`: what /proc/self/uid_map says; `overflow`: what /proc/sys/kernel/overflowuid does.
UserNumbers user_numbers(std::uint32_t own, const std::string& map, const std::string& overflow);
/// Of this process, as which it runs now.
UserNumbers user_numbers_here();
/// `user`: as the system says who is at the other end.
bool trusts_user(const LocalTrust& trust, std::uint32_t user, const UserNumbers& here) noexcept;

}  // namespace perigee::transport
