// The transferred blocks. Each block contains its number, so that lost and repeated blocks are
// noticed. All memory of touched blocks is written before sending and checked after receiving.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace perigee::bench {

enum class Memory : std::uint8_t { touched, untouched };

/// Blocks consist of whole words. The first word has the number, and whether the block is the last.
using Word = std::uint64_t;
inline constexpr std::size_t block_size_min = 16;

/// The alignment of the functions below, in octets: a cache line of the CPU.
inline constexpr std::size_t block_code_alignment = 64;

/// All links call the same two functions. If each link had its own copy, the copies would lie
/// differently in cache lines, and their speed would differ by more than the cost of a wrapper.
void write_block(std::span<std::byte> block, Word number, bool is_last, Memory memory);

/// Whether `block` is the last block of a run. Throws std::runtime_error unless it is block
/// `number`, unchanged.
bool check_block(std::span<const std::byte> block, Word number, Memory memory);

}  // namespace perigee::bench
