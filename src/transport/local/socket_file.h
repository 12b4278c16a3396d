// The file of a listening socket: made with its permissions, taken over from a server that is gone,
// and removed. Private to transport/local.
#pragma once

#include <perigee/ipc/lsock.h>
#include <perigee/ipc/result.h>

#include <cstdint>
#include <string>
#include <utility>

namespace perigee::transport {

/// The permission bit by which clients know a socket file of a server of Perigee: the sticky bit,
/// which has no other meaning there, and which the socket files of other programs do not have. It
/// comes and goes with the file.
inline constexpr std::uint32_t socket_mark = 01000;

/// Which file a path was, to know it again.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// The file of a socket, which is removed at the end unless the path has become another file.
class SocketFile {
 public:
  SocketFile(std::string path, const FileIdentity& identity) noexcept
      : path_(std::move(path)), identity_(identity) {}
  SocketFile(SocketFile&& other) noexcept
      : path_(std::exchange(other.path_, {})), identity_(other.identity_) {}
  SocketFile& operator=(SocketFile&&) = delete;
  ~SocketFile() {
    if (!path_.empty()) remove();
  }

 private:
  void remove() noexcept;

  std::string path_;
  FileIdentity identity_;
};

/// While the socket listens nobody takes its file for a stale one, and puts another there: so the
/// file goes first.
struct ListeningFile {
  ipc::lsock::Acceptor acceptor;
  SocketFile file;
};

/// Listens at a path, with the permissions `mode` whatever the process's umask is, and with the
/// mark; no client can connect before they are set.
///
/// A socket that is there and refuses connections was left by a server that is gone: it is
/// replaced, if it belongs to this user. Servers that begin or end at the same time take turns at
/// a lock, the file `.<name>.perigee-lock` in the same folder. Errors: address_in_use (a server
/// lives there), file_exists (not a socket), operation_not_permitted (another user's socket, or
/// lock), timed_out (another of this user's processes keeps the lock), and the system's. Nothing is
/// left behind then.
ipc::Result<ListeningFile> listen_at_file(const ipc::UnixAddr& address, std::uint32_t mode);

}  // namespace perigee::transport
