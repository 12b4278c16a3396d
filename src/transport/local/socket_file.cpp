// Making, replacing and removing socket files.
#include "transport/local/socket_file.h"

#include <perigee/base/clock.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/io.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace perigee::transport {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds lock_wait_max = 5s;
constexpr auto lock_retry = 5ms;
constexpr mode_t permissions = 07777;
constexpr mode_t lock_mode = 0600;

std::unexpected<std::error_code> failure(int code) noexcept {
  return std::unexpected(std::error_code(code, std::system_category()));
}

std::optional<struct stat> status_of(const std::string& path) noexcept {
  struct stat status{};
  if (::lstat(path.c_str(), &status) == -1) return std::nullopt;
  return status;
}

FileIdentity identity_of(const struct stat& status) noexcept {
  return {status.st_dev, status.st_ino};
}

/// The exclusive right to make and remove the file at a path. It is a lock file beside that file,
/// which exists while a process holds the right. Only processes of this user can take it.
class PathLock {
 public:
  /// `wait_max`: how long to wait for another process. Then the error is timed_out.
  static ipc::Result<PathLock> take(const std::string& path,
                                    std::chrono::milliseconds wait_max = lock_wait_max);

  PathLock(PathLock&&) noexcept = default;
  PathLock& operator=(PathLock&&) = delete;
  // The lock file is removed while it is locked. A process that waits for the lock then checks that
  // the file is still at the path.
  ~PathLock() {
    if (handle_) ::unlink(name_.c_str());
  }

 private:
  PathLock(std::string name, ipc::Handle handle) noexcept
      : name_(std::move(name)), handle_(std::move(handle)) {}

  std::string name_;
  ipc::Handle handle_;
};

constexpr std::string_view lock_prefix = ".";
constexpr std::string_view lock_suffix = ".perigee-lock";

/// ".<name>.perigee-lock" beside the socket file. No other program uses this name.
std::string lock_name(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1;
  std::string lock = path.substr(0, name);
  lock.append(lock_prefix).append(path, name).append(lock_suffix);
  return lock;
}

/// The lock file must be empty, belong to this user, and still be the file at the path: another
/// process may have removed it.
ipc::Status check_lock(int fd, const std::string& path) {
  struct stat status{};
  if (::fstat(fd, &status) == -1) return failure(errno);
  const bool is_ours = S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
  if (!is_ours || status.st_size != 0) return failure(EPERM);
  const auto there = status_of(path);
  if (!there || identity_of(*there) != identity_of(status)) return failure(EAGAIN);
  return {};
}

ipc::Result<PathLock> PathLock::take(const std::string& path, std::chrono::milliseconds wait_max) {
  constexpr int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  std::string name = lock_name(path);
  const TimePoint end = steady_clock().now() + wait_max;
  for (;;) {
    ipc::Handle handle(::open(name.c_str(), flags, lock_mode));
    if (!handle) return failure(errno);
    const bool is_locked = ::flock(handle.get(), LOCK_EX | LOCK_NB) == 0;
    if (!is_locked && errno != EWOULDBLOCK && errno != EINTR) return failure(errno);
    const auto checked = check_lock(handle.get(), name);
    if (is_locked && checked) return PathLock(std::move(name), std::move(handle));
    if (!checked && checked.error() != std::errc::resource_unavailable_try_again)
      return std::unexpected(checked.error());
    if (steady_clock().now() >= end) return failure(ETIMEDOUT);
    std::this_thread::sleep_for(lock_retry);
  }
}

/// The system has applied the umask to the mode of the handle. So bits may be missing, but there
/// are never too many.
ipc::Result<ListeningFile> settle(ipc::Handle handle, const std::string& path, std::uint32_t mode) {
  const auto status = status_of(path);
  if (!status) return failure(errno);
  if ((status->st_mode & permissions) != mode &&
      ::fchmodat(AT_FDCWD, path.c_str(), mode, AT_SYMLINK_NOFOLLOW) == -1)
    return failure(errno);
  auto acceptor = ipc::lsock::Acceptor::adopt(handle.release());
  if (!acceptor) return std::unexpected(acceptor.error());
  return ListeningFile{std::move(*acceptor), SocketFile(path, identity_of(*status))};
}

ipc::Result<ListeningFile> listen_at(const ipc::UnixAddr& address, std::uint32_t mode) {
  auto handle = ipc::io::open_stream(address, ipc::io::Blocking::no);
  if (!handle) return std::unexpected(handle.error());
  if (::fchmod(handle->get(), mode) == -1) return failure(errno);
  if (auto listening = ipc::io::listen(handle->get(), address); !listening)
    return std::unexpected(listening.error());
  const std::string path(address.name());
  auto file = settle(std::move(*handle), path, mode);
  if (!file) ::unlink(path.c_str());  // its socket is closed
  return file;
}

/// Removes the file of a server that has ended. An error if the path is any other file.
ipc::Status remove_stale(const ipc::UnixAddr& address) {
  const std::string path(address.name());
  const auto status = status_of(path);
  if (!status) return {};  // another process has removed it
  if (!S_ISSOCK(status->st_mode)) return failure(EEXIST);
  if (status->st_uid != ::geteuid()) return failure(EPERM);
  const auto probe = ipc::lsock::Connector::start(address);
  if (probe || probe.error() != std::errc::connection_refused) return failure(EADDRINUSE);
  if (::unlink(path.c_str()) == -1 && errno != ENOENT) return failure(errno);
  return {};
}

}  // namespace

ipc::Result<ListeningFile> listen_at_file(const ipc::UnixAddr& address, std::uint32_t mode) {
  const auto lock = PathLock::take(std::string(address.name()));
  if (!lock) return std::unexpected(lock.error());
  mode |= socket_mark;
  auto listening = listen_at(address, mode);
  if (listening || listening.error() != std::errc::address_in_use) return listening;
  if (const auto removed = remove_stale(address); !removed) return std::unexpected(removed.error());
  return listen_at(address, mode);
}

std::optional<std::string> socket_of_lock(std::string_view name) {
  if (name.size() <= lock_prefix.size() + lock_suffix.size()) return std::nullopt;
  if (!name.starts_with(lock_prefix) || !name.ends_with(lock_suffix)) return std::nullopt;
  name.remove_prefix(lock_prefix.size());
  name.remove_suffix(lock_suffix.size());
  return std::string(name);
}

bool remove_if_stale(const ipc::UnixAddr& address) {
  const auto lock = PathLock::take(std::string(address.name()), 0ms);
  return lock && remove_stale(address);
}

// If the lock cannot be taken, for lack of memory, handles or space, the file is checked and
// removed without it.
void SocketFile::remove() noexcept {
  const ipc::Result<PathLock> lock = [this]() -> ipc::Result<PathLock> {
    try {
      return PathLock::take(path_);
    } catch (const std::bad_alloc&) {
      return failure(ENOMEM);
    }
  }();
  struct stat status{};
  const bool is_there = ::lstat(path_.c_str(), &status) == 0;
  if (is_there && identity_of(status) == identity_) ::unlink(path_.c_str());
}

}  // namespace perigee::transport
