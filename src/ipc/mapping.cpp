// mmap and its relatives.
#include "ipc/mapping.h"

#include <sys/mman.h>
#include <unistd.h>

namespace perigee::ipc {

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::byte* map_memory(std::size_t size) noexcept {
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

std::byte* remap_memory(std::byte* memory, std::size_t size, std::size_t new_size) noexcept {
  void* const moved = mremap(memory, size, new_size, MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? nullptr : static_cast<std::byte*>(moved);
}

void unmap_memory(std::byte* memory, std::size_t size) noexcept { (void)munmap(memory, size); }

}  // namespace perigee::ipc
