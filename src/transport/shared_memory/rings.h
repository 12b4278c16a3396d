// The memory of one connection, and the message by which the server gets it. Private to
// transport/shared_memory.
#pragma once

#include "ipc/shared_memory.h"
#include "transport/shared_memory/holds.h"
#include "transport/shared_memory/ring.h"
#include <perigee/base/octets.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/result.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace perigee::transport::shared_memory {

/// The first octets of a connection, from the client to the server, in the byte order of the host.
/// The handle of the memory comes with them. The server answers with one octet, an Answer.
///
/// A client that trusts the server with linked sequences sends two more handles: those of its pool,
/// and of one end of a pipe (see Loans).
struct Hello {
  static constexpr std::array<char, 8> expected_magic{'P', 'G', 'E', '-', 'S', 'H', 'M', '1'};

  /// The handles of the memory, the pool, and the end of the pipe.
  static constexpr std::size_t handles_max = 3;

  std::array<char, 8> magic = expected_magic;
  std::uint32_t ring_size = 0;  ///< octets of each of the two rings
  std::uint32_t trusts = 0;     ///< 1: two more handles come
};
static_assert(sizeof(Hello) == 16 && offsetof(Hello, ring_size) == 8);

/// `full`: the server has its highest number of connections. `trusted`: accepted, and the server
/// follows links.
enum class Answer : std::uint8_t { accepted = 'A', refused = 'R', full = 'F', trusted = 'T' };

/// Maps both rings of one connection. The file begins with the words of both rings and of links.
/// The octets of the client's ring follow, and then the octets of the server's ring.
class Rings {
 public:
  /// Makes the memory. The handle is for the server.
  struct Made;
  static ipc::Result<Made> make(std::uint32_t ring_size);
  /// Checks and maps the memory that a client has made. Errors: invalid_argument (a size that is
  /// not allowed), and those of ipc::check_shared_memory.
  static ipc::Result<Rings> accept(int fd, std::uint32_t ring_size);

  [[nodiscard]] Ring from_client() const noexcept;
  [[nodiscard]] Ring from_server() const noexcept;
  /// The words of the client's links. They are in `words()`.
  [[nodiscard]] HoldWords& holds() const noexcept;
  /// The memory of all words, which the links may need longer than the connection.
  [[nodiscard]] const std::shared_ptr<const ipc::SharedMapping>& words() const noexcept {
    return words_;
  }

 private:
  static ipc::Result<Rings> map(int fd, std::uint32_t ring_size, bool is_client);

  std::shared_ptr<const ipc::SharedMapping> words_;
  ipc::SharedMapping from_client_;
  ipc::SharedMapping from_server_;
  std::uint32_t size_ = 0;
};

struct Rings::Made {
  Rings rings;
  ipc::Handle memory;
};

}  // namespace perigee::transport::shared_memory
