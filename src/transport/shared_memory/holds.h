// The words by which a receiver gives linked octets back to their sender. Private to
// transport/shared_memory.
#pragma once

#include "ipc/futex.h"

#include <cstddef>
#include <cstdint>

namespace perigee::transport::shared_memory {

/// The most links whose octets the receiver can hold at a time.
inline constexpr std::uint32_t holds_max = 1024;

/// The words of the client's links, in the memory of a connection. The sender gives each use of a
/// word a new number, its generation. The receiver writes the generation into the word when it does
/// not use the octets any longer. Only the receiver writes.
struct HoldWords {
  ipc::SharedWord given_back[holds_max];
};
static_assert(sizeof(HoldWords) == 4 * holds_max);

}  // namespace perigee::transport::shared_memory
