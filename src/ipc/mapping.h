// Anonymous memory that comes straight from the system.
#pragma once

#include <cstddef>

namespace perigee::ipc {

/// The system's page size. Sizes of mappings are multiples of it.
[[nodiscard]] std::size_t page_size() noexcept;

/// Reserves address space of `size` octets. The system gives physical memory, filled with zeros,
/// when an octet of a page is first touched, and charges nothing before that. Null: refused,
/// because of a limit of the process (RLIMIT_AS), strict overcommit, or the number of mappings.
[[nodiscard]] std::byte* map_memory(std::size_t size) noexcept;

/// Makes a mapping longer or shorter. Contents stay; the address may change. Null: refused, and the
/// old mapping is unchanged.
[[nodiscard]] std::byte* remap_memory(std::byte* memory, std::size_t size,
                                      std::size_t new_size) noexcept;

void unmap_memory(std::byte* memory, std::size_t size) noexcept;

/// The size of a large page. Memory with large pages becomes resident in steps of this size.
inline constexpr std::size_t large_page_size = std::size_t{2} << 20;

/// Advises the system to use large pages for the whole pages of `memory`: one page fault for 2 MiB
/// instead of 512. For memory that is about to be filled as a whole. Pages that are resident
/// already stay as they are. The system may ignore the advice.
void advise_large_pages(void* memory, std::size_t size) noexcept;

}  // namespace perigee::ipc
