// Shared memory by memfd_create, seals and mmap.
#include "ipc/shared_memory.h"

#include "ipc/failure.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace perigee::ipc {
namespace {

constexpr int fixed_size_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
/// F_SEAL_FUTURE_WRITE of Linux 5.1: mappings that exist stay writable, and new ones cannot be.
constexpr int no_further_writer = 0x10;

/// MFD_NOEXEC_SEAL of Linux 6.3: the file is not executable. The C library may not know it yet.
constexpr unsigned no_execution = 0x8;

int protection_of(Access access) noexcept {
  return access == Access::read ? PROT_READ : PROT_READ | PROT_WRITE;
}

// A system with vm.memfd_noexec=2 makes no files that could become executable. Older systems do not
// know the flag.
Handle make_file() noexcept {
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  Handle file(::memfd_create("perigee", flags | no_execution));
  if (!file && errno == EINVAL) return Handle(::memfd_create("perigee", flags));
  return file;
}

Result<Handle> make_sized_file(std::size_t size) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < size)
    return failure(EFBIG);
  Handle memory = make_file();
  if (!memory) return failure(errno);
  if (::ftruncate(memory.get(), static_cast<off_t>(size)) == -1) return failure(errno);
  return memory;
}

// Memory with large pages (hugetlbfs) is refused: an access fails with SIGBUS if the system has no
// large page left.
Result<std::size_t> sealed_size(int fd, int needed_seals) {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals == -1 || (seals & needed_seals) != needed_seals) return failure(EPERM);
  struct statfs system{};
  if (::fstatfs(fd, &system) == -1) return failure(errno);
  if (system.f_type != TMPFS_MAGIC) return failure(EPERM);
  struct stat file{};
  if (::fstat(fd, &file) == -1) return failure(errno);
  if (!std::in_range<std::size_t>(file.st_size)) return failure(EINVAL);
  return static_cast<std::size_t>(file.st_size);
}

}  // namespace

Result<Handle> make_shared_memory(std::size_t size) {
  auto memory = make_sized_file(size);
  if (!memory) return memory;
  if (::fcntl(memory->get(), F_ADD_SEALS, fixed_size_seals) == -1) return failure(errno);
  return memory;
}

// The seal allows no new writable mapping, so the memory is mapped before it is sealed.
Result<ReadableMemory> make_readable_memory(std::size_t size) {
  auto memory = make_sized_file(size);
  if (!memory) return std::unexpected(memory.error());
  auto mapping = SharedMapping::map(memory->get(), 0, size, Access::read_and_write);
  if (!mapping) return std::unexpected(mapping.error());
  if (::fcntl(memory->get(), F_ADD_SEALS, fixed_size_seals | no_further_writer) == -1)
    return failure(errno);
  return ReadableMemory{std::move(*memory), std::move(*mapping)};
}

Status check_shared_memory(int fd, std::size_t size) {
  const auto found = sealed_size(fd, fixed_size_seals);
  if (!found) return std::unexpected(found.error());
  if (*found != size) return failure(EINVAL);
  return {};
}

Result<std::size_t> size_of_readable_memory(int fd) {
  return sealed_size(fd, fixed_size_seals | no_further_writer);
}

bool is_pipe(int fd) noexcept {
  struct stat file{};
  return ::fstat(fd, &file) == 0 && S_ISFIFO(file.st_mode);
}

SharedMapping::SharedMapping(SharedMapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

SharedMapping& SharedMapping::operator=(SharedMapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedMapping::~SharedMapping() {
  if (data_ != nullptr) (void)::munmap(data_, size_);
}

Result<SharedMapping> SharedMapping::map(int fd, std::size_t offset, std::size_t size,
                                         Access access) {
  void* const data =
      ::mmap(nullptr, size, protection_of(access), MAP_SHARED, fd, static_cast<off_t>(offset));
  if (data == MAP_FAILED) return failure(errno);
  return SharedMapping(static_cast<std::byte*>(data), size);
}

// The first mapping reserves the addresses of both.
Result<SharedMapping> SharedMapping::map_twice(int fd, std::size_t offset, std::size_t size,
                                               Access access) {
  void* const reserved =
      ::mmap(nullptr, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return failure(errno);
  SharedMapping both(static_cast<std::byte*>(reserved), 2 * size);
  for (std::byte* const place : {both.data_, both.data_ + size}) {
    if (::mmap(place, size, protection_of(access), MAP_SHARED | MAP_FIXED, fd,
               static_cast<off_t>(offset)) == MAP_FAILED)
      return failure(errno);
  }
  return both;
}

}  // namespace perigee::ipc
