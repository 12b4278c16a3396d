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
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace perigee::transport {
namespace {

using namespace std::chrono_literals;

constexpr auto lock_patience = 5s;
constexpr auto lock_retry = 5ms;
constexpr mode_t permissions = 0777;

std::unexpected<std::error_code> failure(int code) noexcept {
  return std::unexpected(std::error_code(code, std::system_category()));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// The lock goes with the handle. Everybody who may read a folder may lock it, so it is waited for
/// with patience, not for ever.
ipc::Result<ipc::Handle> lock_folder(const std::string& folder) {
  ipc::Handle handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle) return failure(errno);
  const TimePoint end = steady_clock().now() + lock_patience;
  while (::flock(handle.get(), LOCK_EX | LOCK_NB) == -1) {
    if (errno != EWOULDBLOCK && errno != EINTR) return failure(errno);
    if (steady_clock().now() >= end) return failure(ETIMEDOUT);
    std::this_thread::sleep_for(lock_retry);
  }
  return handle;
}

std::optional<struct stat> status_of(const std::string& path) noexcept {
  struct stat status{};
  if (::lstat(path.c_str(), &status) == -1) return std::nullopt;
  return status;
}

FileIdentity identity_of(const struct stat& status) noexcept {
  return {status.st_dev, status.st_ino};
}

/// The system applies the umask to what the handle says, so bits may be missing afterwards, but
/// never too many be there.
ipc::Result<ListeningFile> listen_at(const ipc::UnixAddr& address, std::uint32_t mode) {
  auto handle = ipc::io::open_stream(address, ipc::io::Blocking::no);
  if (!handle) return std::unexpected(handle.error());
  if (::fchmod(handle->get(), mode) == -1) return failure(errno);
  if (auto listening = ipc::io::listen(handle->get(), address); !listening)
    return std::unexpected(listening.error());
  const std::string path(address.name());
  const auto status = status_of(path);
  if (!status) return failure(errno);
  if ((status->st_mode & permissions) != mode &&
      ::fchmodat(AT_FDCWD, path.c_str(), mode, AT_SYMLINK_NOFOLLOW) == -1)
    return failure(errno);
  auto acceptor = ipc::lsock::Acceptor::adopt(handle->release());
  if (!acceptor) return std::unexpected(acceptor.error());
  return ListeningFile{std::move(*acceptor), identity_of(*status)};
}

/// Removes what a server that is gone has left; an error if it is anything else.
ipc::Status remove_stale(const ipc::UnixAddr& address) {
  const std::string path(address.name());
  const auto status = status_of(path);
  if (!status) return {};  // gone meanwhile
  if (!S_ISSOCK(status->st_mode)) return failure(EEXIST);
  if (status->st_uid != ::geteuid()) return failure(EPERM);
  const auto probe = ipc::lsock::Connector::start(address);
  if (probe || probe.error() != std::errc::connection_refused) return failure(EADDRINUSE);
  if (::unlink(path.c_str()) == -1 && errno != ENOENT) return failure(errno);
  return {};
}

}  // namespace

ipc::Result<ListeningFile> listen_at_file(const ipc::UnixAddr& address, std::uint32_t mode) {
  const auto lock = lock_folder(folder_of(std::string(address.name())));
  if (!lock) return std::unexpected(lock.error());
  auto listening = listen_at(address, mode);
  if (listening || listening.error() != std::errc::address_in_use) return listening;
  if (const auto removed = remove_stale(address); !removed) return std::unexpected(removed.error());
  return listen_at(address, mode);
}

void remove_file(const ipc::UnixAddr& address, const FileIdentity& file) noexcept {
  const std::string path(address.name());
  const auto status = status_of(path);
  if (status && identity_of(*status) == file) ::unlink(path.c_str());
}

}  // namespace perigee::transport
