// The file of a listening socket: made with its permissions, taken over from a server that has
// ended, and removed. Private to transport/local.
#pragma once

#include <perigee/ipc/lsock.h>
#include <perigee/ipc/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::transport {

/// The permission bit that marks a socket file of a Perigee server: the sticky bit. It has no other
/// meaning there, and the socket files of other programs do not have it. It is set and removed with
/// the file.
inline constexpr std::uint32_t socket_mark = 01000;

/// Identifies the file at a path, to recognise it later.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// The file of a socket. The destructor removes it, unless the path now leads to another file.
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

/// The file is removed before the socket closes. While the socket listens, no other server takes
/// the file for a stale one and replaces it.
struct ListeningFile {
  ipc::lsock::Acceptor acceptor;
  SocketFile file;
};

/// Listens at a path, with the permissions `mode` independent of the process's umask, and with the
/// mark. Clients can connect only after both are set.
///
/// A socket that refuses connections was left by a server that has ended. It is replaced if it
/// belongs to this user. Servers that begin or end at the same time take turns with a lock, the
/// file `.<name>.perigee-lock` in the same folder. Errors: address_in_use (a server listens there),
/// file_exists (not a socket), operation_not_permitted (another user's socket or lock), timed_out
/// (another process of this user keeps the lock), and the system's. After an error no file is left.
ipc::Result<ListeningFile> listen_at_file(const ipc::UnixAddr& address, std::uint32_t mode);

/// Removes the file at a path if it is a socket of this user that refuses connections, and the lock
/// file of a server that has ended. Does not wait for other servers: if one of them holds the lock,
/// nothing is removed. True: there is no file at the path now.
bool remove_if_stale(const ipc::UnixAddr& address);

/// The name of the socket file to which the lock file `name` belongs. std::nullopt if `name` is not
/// the name of a lock file. Both names are without folders.
std::optional<std::string> socket_of_lock(std::string_view name);

}  // namespace perigee::transport
