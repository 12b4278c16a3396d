// UNIX-domain addresses as values: paths, abstract names, and the unnamed address.
#pragma once

#include <perigee/base/export.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::ipc {

/// Where a local socket is bound. By default unnamed: an acceptor bound to it gets an abstract name
/// from the system, as port 0 gets a port.
class UnixAddr {
 public:
  /// Longest path or name, in octets.
  static constexpr std::size_t name_size_max = 107;
  enum class Kind : std::uint8_t { unnamed, path, abstract };

  constexpr UnixAddr() noexcept = default;
  /// Nothing if the path is empty, too long or has a NUL in it.
  [[nodiscard]] static constexpr std::optional<UnixAddr> path(std::string_view path) noexcept {
    if (path.find('\0') != std::string_view::npos) return std::nullopt;
    return make(Kind::path, path);
  }
  /// A name that no file system knows; any octets. Nothing if it is empty or too long.
  [[nodiscard]] static constexpr std::optional<UnixAddr> abstract(std::string_view name) noexcept {
    return make(Kind::abstract, name);
  }
  /// "@name" is abstract, anything else a path.
  [[nodiscard]] static constexpr std::optional<UnixAddr> parse(std::string_view text) noexcept {
    return text.starts_with('@') ? abstract(text.substr(1)) : path(text);
  }

  [[nodiscard]] constexpr Kind kind() const noexcept { return kind_; }
  /// The path, or the name without the '@' that shows it.
  [[nodiscard]] constexpr std::string_view name() const noexcept { return {name_.data(), size_}; }
  friend constexpr bool operator==(const UnixAddr&, const UnixAddr&) = default;

 private:
  static constexpr std::optional<UnixAddr> make(Kind kind, std::string_view name) noexcept {
    if (name.empty() || name.size() > name_size_max) return std::nullopt;
    UnixAddr address;
    address.kind_ = kind;
    address.size_ = static_cast<std::uint8_t>(name.size());
    for (std::size_t index = 0; index < name.size(); ++index) address.name_[index] = name[index];
    return address;
  }

  Kind kind_ = Kind::unnamed;
  std::uint8_t size_ = 0;
  std::array<char, name_size_max + 1> name_{};
};

/// The path, "@name", or "" for the unnamed address.
PERIGEE_API std::string to_string(const UnixAddr& address);

}  // namespace perigee::ipc
