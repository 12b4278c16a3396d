// Writing notices so that nobody reads half of one, and reading them.
#include "notice.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <utility>

namespace board {

using perigee::ipc::InetAddr;

namespace {

std::unexpected<std::error_code> last_error() {
  const int code = errno != 0 ? errno : EIO;
  return std::unexpected(std::error_code(code, std::system_category()));
}

}  // namespace

bool is_notice_path(std::string_view path) {
  return path.starts_with('/') && !path.ends_with('/') && path.find('\0') == path.npos;
}

std::expected<InetAddr, std::error_code> read_notice(const std::string& path) {
  errno = 0;  // streams tell nothing else of why
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return last_error();
  const auto address = InetAddr::parse(line);
  if (!address) return std::unexpected(std::make_error_code(std::errc::bad_message));
  return *address;
}

std::expected<Notice, std::error_code> Notice::put_up(std::string path, const InetAddr& address) {
  const std::string draft = path + "." + std::to_string(::getpid());
  errno = 0;
  std::ofstream file(draft);
  file << to_string(address) << '\n';
  file.close();
  if (!file || std::rename(draft.c_str(), path.c_str()) != 0) {
    const auto error = last_error();
    std::remove(draft.c_str());
    return error;
  }
  return Notice(std::move(path), address);
}

Notice::Notice(std::string path, const InetAddr& address)
    : path_(std::move(path)), address_(address) {}

Notice::Notice(Notice&& other) noexcept
    : path_(std::exchange(other.path_, {})), address_(other.address_) {}

Notice::~Notice() {
  if (path_.empty()) return;
  const auto there = read_notice(path_);
  if (there && *there == address_) std::remove(path_.c_str());
}

}  // namespace board
