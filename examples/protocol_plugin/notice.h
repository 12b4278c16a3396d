// Notices: files in a folder that everybody knows, which say where a server listens now.
#pragma once

#include <perigee/ipc/inet_addr.h>

#include <expected>
#include <string>
#include <string_view>
#include <system_error>

namespace board {

/// Whether a notice may have this path: absolute, no NUL in it, and no folder.
[[nodiscard]] bool is_notice_path(std::string_view path);

/// What the notice at `path` says.
[[nodiscard]] std::expected<perigee::ipc::InetAddr, std::error_code> read_notice(
    const std::string& path);

/// A notice that is put up, and taken down by the destructor: unless another one is there by now.
class Notice {
 public:
  /// Replaces what is there at once: readers see the old notice or the new one.
  [[nodiscard]] static std::expected<Notice, std::error_code> put_up(
      std::string path, const perigee::ipc::InetAddr& address);
  Notice(Notice&& other) noexcept;
  Notice& operator=(Notice&&) = delete;
  ~Notice();

 private:
  Notice(std::string path, const perigee::ipc::InetAddr& address);

  std::string path_;
  perigee::ipc::InetAddr address_;
};

}  // namespace board
