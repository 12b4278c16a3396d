// Writes notices in such a way that no reader sees an incomplete notice, and reads them.
#include "notice.h"

#include <perigee/ipc/handle.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace board {

constexpr std::size_t notice_size_max = 64;

using perigee::ipc::Handle;
using perigee::ipc::InetAddr;

namespace {

std::unexpected<std::error_code> last_error() {
  return std::unexpected(std::error_code(errno, std::system_category()));
}

std::unexpected<std::error_code> no_notice() {
  return std::unexpected(std::make_error_code(std::errc::bad_message));
}

/// The path may come from an untrusted reference: it may name a device, a FIFO or a link.
Handle open_notice(const std::string& path) {
  Handle file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) == -1) return {};
  if (S_ISREG(status.st_mode)) return file;
  errno = EINVAL;
  return {};
}

}  // namespace

bool is_notice_path(std::string_view path) {
  return path.starts_with('/') && !path.ends_with('/') && path.find('\0') == path.npos;
}

std::expected<InetAddr, std::error_code> read_notice(const std::string& path) {
  const Handle file = open_notice(path);
  if (!file) return last_error();
  std::array<char, notice_size_max> space;
  const ssize_t count = ::read(file.get(), space.data(), space.size());
  if (count == -1) return last_error();
  const std::string_view text(space.data(), static_cast<std::size_t>(count));
  const auto end = text.find('\n');
  if (end == text.npos) return no_notice();
  const auto address = InetAddr::parse(std::string(text.substr(0, end)));
  if (!address) return no_notice();
  return *address;
}

std::expected<Notice, std::error_code> Notice::put_up(std::string path, const InetAddr& address) {
  const std::string draft = path + "." + std::to_string(::getpid());
  const Handle file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file) return last_error();
  const std::string text = to_string(address) + '\n';
  const bool written = ::write(file.get(), text.data(), text.size()) == ssize_t(text.size());
  if (!written || std::rename(draft.c_str(), path.c_str()) != 0) {
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
