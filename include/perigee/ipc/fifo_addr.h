// Paths of named pipes, as values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::ipc {

/// The path of a named pipe in the file system. An address always has a path.
class FifoAddr {
 public:
  /// Longest path, in octets. The system may allow less in a folder.
  static constexpr std::size_t path_size_max = 4095;

  /// std::nullopt if the path is empty, too long or has a NUL in it.
  [[nodiscard]] static std::optional<FifoAddr> path(std::string_view path) {
    if (path.empty() || path.size() > path_size_max) return std::nullopt;
    if (path.find('\0') != std::string_view::npos) return std::nullopt;
    return FifoAddr(path);
  }
  [[nodiscard]] const std::string& name() const noexcept { return path_; }
  friend bool operator==(const FifoAddr&, const FifoAddr&) = default;

 private:
  explicit FifoAddr(std::string_view path) : path_(path) {}
  std::string path_;
};

inline std::string to_string(const FifoAddr& address) { return address.name(); }

}  // namespace perigee::ipc
