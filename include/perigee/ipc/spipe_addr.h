// Addresses of record-preserving local streams, as values. They have the form of UNIX-domain
// addresses, and both use the same set of names. But a stream of octets cannot connect to them.
#pragma once

#include <perigee/ipc/unix_addr.h>

#include <optional>
#include <string>
#include <string_view>

namespace perigee::ipc {

/// The address of a stream pipe's acceptor: a path or an abstract name. Unnamed by default: the
/// system chooses a name.
class SPipeAddr {
 public:
  using Kind = UnixAddr::Kind;

  constexpr SPipeAddr() noexcept = default;
  /// The address with the name of a UNIX-domain address.
  constexpr explicit SPipeAddr(const UnixAddr& name) noexcept : name_(name) {}

  /// std::nullopt if the path is empty, too long or has a NUL in it.
  [[nodiscard]] static constexpr std::optional<SPipeAddr> path(std::string_view path) noexcept {
    return made(UnixAddr::path(path));
  }
  /// std::nullopt if the name is empty or too long.
  [[nodiscard]] static constexpr std::optional<SPipeAddr> abstract(std::string_view name) noexcept {
    return made(UnixAddr::abstract(name));
  }
  /// "@name" is abstract, anything else a path.
  [[nodiscard]] static constexpr std::optional<SPipeAddr> parse(std::string_view text) noexcept {
    return made(UnixAddr::parse(text));
  }

  [[nodiscard]] constexpr Kind kind() const noexcept { return name_.kind(); }
  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_.name(); }
  [[nodiscard]] constexpr const UnixAddr& unix_name() const noexcept { return name_; }
  friend constexpr bool operator==(const SPipeAddr&, const SPipeAddr&) = default;

 private:
  static constexpr std::optional<SPipeAddr> made(const std::optional<UnixAddr>& name) noexcept {
    if (!name) return std::nullopt;
    return SPipeAddr(*name);
  }
  UnixAddr name_;
};

/// The path, "@name", or "" for the unnamed address.
inline std::string to_string(const SPipeAddr& address) { return to_string(address.unix_name()); }

}  // namespace perigee::ipc
