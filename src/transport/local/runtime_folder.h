// The folder of the sockets that servers open by themselves. Private to transport/local.
#pragma once

#include <perigee/base/io_error.h>
#include <perigee/ipc/result.h>
#include <perigee/transport/transport.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

namespace perigee::transport {

/// The folder in which a user's servers open sockets that no endpoint names.
struct RuntimeFolder {
  std::string parent;         ///< belongs to the user: /run, /run/user/1000
  std::uint32_t folder_mode;  ///< permissions of <parent>/perigee
  std::uint32_t socket_mode;  ///< permissions of the sockets in it
};

/// The folder of the effective user. Of root: /run/perigee, whose sockets all users may use, since
/// clients of all users trust root. Of other users: the folder `perigee` in $XDG_RUNTIME_DIR, or
/// in /run/user/<number> if that variable is not set; only the user itself may use its sockets. A
/// program with more privileges than its user ignores the variable.
RuntimeFolder runtime_folder_here();

/// Makes the folder <parent>/perigee if it does not exist, and returns its path.
///
/// Both folders must be folders (not symbolic links) of the effective user, and no other user may
/// be able to write to them. Otherwise another user could put a socket there. Errors:
/// operation_not_permitted (one of them belongs to another user, or another user can write to it),
/// not_a_directory, and the system's.
ipc::Result<std::string> make_runtime_folder(const RuntimeFolder& where);

/// The most entries of the folder that one call of remove_stale_sockets reads, and the most files
/// that it looks at.
inline constexpr std::size_t stale_entries_max = 4096;
inline constexpr std::size_t stale_files_max = 64;

/// Removes the sockets of servers that have ended without removing them, and their lock files. A
/// socket is removed if its name is one of choose_socket_name, the process in its name has ended or
/// began after the socket was made, and it refuses a connect. Errors are ignored: the next server
/// tries again.
void remove_stale_sockets(const std::string& folder) noexcept;

/// A file name that no other server chooses: the number of this process, '-', and 16 random
/// hexadecimal digits. An error if the system has no random numbers.
ipc::Result<std::string> choose_socket_name();

/// The address of a new socket in the folder `where`, with its permissions, for an endpoint that
/// names no socket: "/run/perigee/4711-0123456789abcdef?mode=0666". The folder is made, and stale
/// sockets are removed. An error names the endpoint and the folder.
std::expected<Endpoint, IoError> choose_socket(const Endpoint& endpoint,
                                               const RuntimeFolder& where);

}  // namespace perigee::transport
