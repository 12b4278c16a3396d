// Socket files, their permissions, and the umask of the process.
#pragma once

#include <perigee/ipc/lsock.h>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace perigee::test {

/// The permissions of the file or folder itself, also if it is a symbolic link.
inline mode_t mode_of(const std::string& path) {
  struct stat status{};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 0777;
}

/// Leaves a socket file without a server.
inline void leave_stale_file(const std::string& path) {
  REQUIRE(ipc::lsock::Acceptor::open(*ipc::UnixAddr::path(path)).has_value());
  REQUIRE(std::filesystem::exists(path));
}

/// Sets the umask of the process, as long as it lives.
class ScopedUmask {
 public:
  explicit ScopedUmask(mode_t mask) : before_(::umask(mask)) {}
  ~ScopedUmask() { ::umask(before_); }
  ScopedUmask(const ScopedUmask&) = delete;
  ScopedUmask& operator=(const ScopedUmask&) = delete;

 private:
  mode_t before_;
};

}  // namespace perigee::test
