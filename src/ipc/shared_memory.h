// Memory that two processes share: a file without a name, of a fixed size, and its mappings.
#pragma once

#include <perigee/ipc/handle.h>
#include <perigee/ipc/result.h>

#include <cstddef>

namespace perigee::ipc {

/// Makes a file without a name in memory. Its size is fixed for ever by seals, so a mapping of it
/// never loses its pages. `size` is a multiple of the page size. Errors: file_too_large
/// (RLIMIT_FSIZE is smaller; the system would send SIGXFSZ), and the system's.
[[nodiscard]] Result<Handle> make_shared_memory(std::size_t size);

/// Checks a handle from another process. It must be memory of exactly this size, whose size is
/// fixed by seals, with pages of the usual size. Errors: operation_not_permitted (another kind of
/// file, or seals are missing), invalid_argument (another size), and the system's.
[[nodiscard]] Status check_shared_memory(int fd, std::size_t size);
/// The same check for memory of any size that only its owner can write to: it has no further
/// writable mapping, ever (F_SEAL_FUTURE_WRITE). Returns its size in octets.
[[nodiscard]] Result<std::size_t> size_of_readable_memory(int fd);

/// Whether the handle is one end of a pipe.
[[nodiscard]] bool is_pipe(int fd) noexcept;

/// Whether this process may write to a mapping.
enum class Access : bool { read, read_and_write };

/// Owns a mapping of a part of shared memory.
class SharedMapping {
 public:
  SharedMapping() noexcept = default;
  SharedMapping(SharedMapping&& other) noexcept;
  SharedMapping& operator=(SharedMapping&& other) noexcept;
  ~SharedMapping();

  /// Maps `size` octets from `offset`. Both are multiples of the page size.
  static Result<SharedMapping> map(int fd, std::size_t offset, std::size_t size, Access access);
  /// Maps the same part twice, one mapping directly after the other: octet `size + n` is octet
  /// `n`. So each piece of at most `size` octets of a ring is in one place.
  static Result<SharedMapping> map_twice(int fd, std::size_t offset, std::size_t size,
                                         Access access);

  [[nodiscard]] std::byte* data() const noexcept { return data_; }

 private:
  SharedMapping(std::byte* data, std::size_t size) noexcept : data_(data), size_(size) {}

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Memory that this process writes to, and that processes with the handle can only read.
struct ReadableMemory {
  Handle handle;
  SharedMapping mapping;  ///< of all octets, writable
};
/// Makes such memory. `size` and errors: as for make_shared_memory. invalid_argument also if the
/// system is older than Linux 5.1.
[[nodiscard]] Result<ReadableMemory> make_readable_memory(std::size_t size);

}  // namespace perigee::ipc
