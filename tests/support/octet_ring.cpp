// Maps the same pages twice.
#include "support/octet_ring.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace perigee::test {

namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::size_t whole_pages(std::size_t octets) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (octets + page - 1) / page * page;
}

std::byte* map_twice(std::size_t size) {
  const int file = memfd_create("octet ring", MFD_CLOEXEC);
  if (file < 0) fail("memfd_create");
  if (ftruncate(file, static_cast<off_t>(size)) != 0) fail("ftruncate");
  void* const both = mmap(nullptr, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (both == MAP_FAILED) fail("mmap");
  auto* const memory = static_cast<std::byte*>(both);
  for (std::byte* const half : {memory, memory + size})
    if (mmap(half, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
      fail("mmap");
  close(file);
  return memory;
}

}  // namespace

OctetRing::OctetRing(std::size_t capacity)
    : capacity_(capacity), mapped_size_(whole_pages(capacity)), memory_(map_twice(mapped_size_)) {}

OctetRing::~OctetRing() { munmap(memory_, 2 * mapped_size_); }

MutableOctetSpan OctetRing::place() noexcept { return {at(written_), room()}; }

std::size_t OctetRing::append(OctetSpan octets) noexcept {
  const std::size_t count = std::min(room(), octets.size());
  std::copy_n(octets.begin(), count, at(written_));
  commit(count);
  return count;
}

void OctetRing::take(MutableOctetSpan octets) noexcept {
  std::copy_n(at(read_), octets.size(), octets.begin());
  read_ += octets.size();
}

}  // namespace perigee::test
