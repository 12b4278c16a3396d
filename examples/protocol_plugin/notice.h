// Notices: files in a shared folder. A notice says where a server listens now.
#pragma once

#include <perigee/ipc/inet_addr.h>

#include <expected>
#include <string>
#include <string_view>
#include <system_error>

namespace board {

/// Whether a notice may have this path: it is absolute, contains no NUL, and does not end with a
/// slash.
[[nodiscard]] bool is_notice_path(std::string_view path);

/// The address in the notice at `path`.
[[nodiscard]] std::expected<perigee::ipc::InetAddr, std::error_code> read_notice(
    const std::string& path);

/// A notice that is put up. The destructor takes it down, unless another notice has replaced it.
class Notice {
 public:
  /// Replaces an existing notice at once: readers see the old notice or the new notice.
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
