// UNIX-domain addresses as values: paths, abstract names, and the unnamed address.
#pragma once

#include <perigee/base/export.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::ipc {

/// The address of a local socket. Unnamed by default: the system gives an unnamed acceptor an
/// abstract name, as it chooses a port for port 0.
class UnixAddr {
 public:
  /// Longest path or name, in octets.
  static constexpr std::size_t name_size_max = 107;
  enum class Kind : std::uint8_t { unnamed, path, abstract };

  constexpr UnixAddr() noexcept = default;
  /// std::nullopt if the path is empty, too long or has a NUL in it.
  [[nodiscard]] static constexpr std::optional<UnixAddr> path(std::string_view path) noexcept {
    if (path.find('\0') != std::string_view::npos) return std::nullopt;
    return make(Kind::path, path);
  }
  /// A name outside of the file system; any octets. std::nullopt if it is empty or too long.
  [[nodiscard]] static constexpr std::optional<UnixAddr> abstract(std::string_view name) noexcept {
    return make(Kind::abstract, name);
  }
  /// "@name" is abstract, anything else a path.
  [[nodiscard]] static constexpr std::optional<UnixAddr> parse(std::string_view text) noexcept {
    return text.starts_with('@') ? abstract(text.substr(1)) : path(text);
  }

  [[nodiscard]] constexpr Kind kind() const noexcept {
    if (size_ <= header_size) return Kind::unnamed;
    return name_[0] == '\0' ? Kind::abstract : Kind::path;
  }
  /// The path, or the name without the leading '@'.
  [[nodiscard]] constexpr std::string_view name() const noexcept {
    if (size_ <= header_size) return {};
    const std::size_t size = size_ - header_size;
    if (name_[0] == '\0') return {name_.data() + 1, size - 1};
    std::size_t end = 0;
    while (end < size && name_[end] != '\0') ++end;
    return {name_.data(), end};
  }
  friend constexpr bool operator==(const UnixAddr& a, const UnixAddr& b) noexcept {
    return a.kind() == b.kind() && a.name() == b.name();
  }

  /// @name For system calls. The layout is that of sockaddr_un, so no address is converted.
  /// @{
  [[nodiscard]] const void* native() const noexcept { return this; }
  [[nodiscard]] constexpr std::uint32_t native_size() const noexcept { return size_; }
  /// Room for an address from the system. `accept_native` then says whether it is of this domain.
  [[nodiscard]] void* native_space() noexcept { return this; }
  [[nodiscard]] static constexpr std::uint32_t native_space_size() noexcept {
    return header_size + sizeof(name_);
  }
  constexpr bool accept_native(std::uint32_t size) noexcept {
    // The system gives the whole size, even if the path of another program did not fit.
    size_ = static_cast<std::uint16_t>(size < native_space_size() ? size : native_space_size());
    return size <= header_size || family_ == family_local;
  }
  /// @}

 private:
  static constexpr std::uint16_t family_local = 1;
  static constexpr std::uint32_t header_size = sizeof(std::uint16_t);

  static constexpr std::optional<UnixAddr> make(Kind kind, std::string_view name) noexcept {
    if (name.empty() || name.size() > name_size_max) return std::nullopt;
    UnixAddr address;
    // An abstract name begins with a NUL, and its size is exact. A path ends with a NUL.
    const std::size_t offset = kind == Kind::abstract ? 1 : 0;
    for (std::size_t index = 0; index < name.size(); ++index) {
      address.name_[offset + index] = name[index];
    }
    address.size_ = static_cast<std::uint16_t>(header_size + 1 + name.size());
    return address;
  }

  // Like sockaddr_un; src/ipc/addresses.cpp checks it.
  std::uint16_t family_ = family_local;
  std::array<char, name_size_max + 1> name_{};
  // The size of the part that the system reads: two octets if unnamed.
  std::uint16_t size_ = header_size;
};

/// The path, "@name", or "" for the unnamed address.
PERIGEE_API std::string to_string(const UnixAddr& address);

}  // namespace perigee::ipc
