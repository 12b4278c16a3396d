// The file of a listening socket: made with its permissions, taken over from a server that is gone,
// and removed. Private to transport/local.
#pragma once

#include <perigee/ipc/lsock.h>
#include <perigee/ipc/result.h>

#include <cstdint>

namespace perigee::transport {

/// Which file a path was, to know it again.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

struct ListeningFile {
  ipc::lsock::Acceptor acceptor;
  FileIdentity file;
};

/// Listens at a path, with the permissions `mode` whatever the process's umask is; nobody can
/// connect before they are set.
///
/// A socket that is there and refuses connections was left by a server that is gone: it is
/// replaced, if it belongs to this user. Servers that begin or end at the same time take turns at
/// the lock `<path>.lock`. Errors: address_in_use (a server lives there), file_exists (not a
/// socket), operation_not_permitted (another user's socket, or lock), timed_out (another of this
/// user's processes keeps the lock), and the system's. Nothing is left behind then.
ipc::Result<ListeningFile> listen_at_file(const ipc::UnixAddr& address, std::uint32_t mode);

/// Removes the path, unless it has become another file.
void remove_file(const ipc::UnixAddr& address, const FileIdentity& file) noexcept;

}  // namespace perigee::transport
