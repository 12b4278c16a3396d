// Regular files: streams send from them and receive into them without copying through the program.
// Not a library for reading and writing files.
#pragma once

#include <perigee/base/export.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/result.h>

#include <cstdint>
#include <string>
#include <utility>

namespace perigee::ipc {

namespace detail {
/// Owns the handle of a regular file.
template <typename Derived>
class FileBase : public OwnedHandle {
 public:
  /// Takes ownership of a handle. The caller guarantees that it is of this kind.
  [[nodiscard]] static Derived adopt(int fd) noexcept { return Derived(Handle(fd)); }

 protected:
  FileBase() noexcept = default;
  using OwnedHandle::OwnedHandle;
};
}  // namespace detail

/// A regular file that is read. It has no position: each transfer names the offset, so several
/// threads may send from one file at the same time.
class File : public detail::FileBase<File> {
 public:
  /// The new object is not open.
  File() noexcept = default;
  /// Errors: the system's; `invalid_argument` and `is_a_directory` if it is not a regular file.
  [[nodiscard]] PERIGEE_API static Result<File> open(const std::string& path);
  /// The size in octets at this moment. Other programs may write to the file.
  [[nodiscard]] PERIGEE_API Result<std::uint64_t> size() const;

 private:
  friend class detail::FileBase<File>;
  explicit File(Handle handle) noexcept : FileBase(std::move(handle)) {}
};

/// A regular file that is written. It has no position: each transfer names the offset.
class OutputFile : public detail::FileBase<OutputFile> {
 public:
  /// What to do if the file exists already.
  enum class Existing : std::uint8_t { refuse, empty, keep };

  /// The new object is not open.
  OutputFile() noexcept = default;
  /// Makes the file if it does not exist. The process's umask limits its permissions. Errors: those
  /// of `File::open`; `file_exists` for `Existing::refuse`.
  [[nodiscard]] PERIGEE_API static Result<OutputFile> open(const std::string& path,
                                                           Existing existing);
  /// The size in octets at this moment.
  [[nodiscard]] PERIGEE_API Result<std::uint64_t> size() const;
  /// Waits until the written octets are on the disk.
  [[nodiscard]] PERIGEE_API Status sync();

 private:
  friend class detail::FileBase<OutputFile>;
  explicit OutputFile(Handle handle) noexcept : FileBase(std::move(handle)) {}
};

}  // namespace perigee::ipc
