// Mappings by mmap, mremap and madvise.
#include "ipc/mapping.h"

#include "base/sanitizer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

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

void unmap_memory(std::byte* memory, std::size_t size) noexcept { (void)munmap(memory, size); }

void advise_large_pages(void* memory, std::size_t size) noexcept {
  const std::size_t page = page_size();
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t skipped = (0 - address) & (page - 1);
  if (size < skipped + page) return;
  const std::size_t whole = (size - skipped) / page * page;
  (void)madvise(static_cast<std::byte*>(memory) + skipped, whole, MADV_HUGEPAGE);
}

namespace {

// Called only in builds with the thread sanitizer.
[[maybe_unused]] std::byte* copy_to_new_mapping(std::byte* memory, std::size_t size,
                                                std::size_t new_size) noexcept {
  std::byte* const moved = map_memory(new_size);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, memory, std::min(size, new_size));
  unmap_memory(memory, size);
  return moved;
}

}  // namespace

std::byte* remap_memory(std::byte* memory, std::size_t size, std::size_t new_size) noexcept {
  // The thread sanitizer does not see mremap. It would compare accesses to the new pages with
  // accesses to an earlier mapping at the same address.
  if constexpr (under_thread_sanitizer) return copy_to_new_mapping(memory, size, new_size);
  void* const moved = mremap(memory, size, new_size, MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? nullptr : static_cast<std::byte*>(moved);
}

}  // namespace perigee::ipc
