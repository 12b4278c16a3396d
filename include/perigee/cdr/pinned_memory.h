// Memory that outlives the message that it came with.
#pragma once

#include <perigee/base/export.h>

namespace perigee::cdr {

/// Memory that pinned values share. Its destructor frees the memory, and may run on any thread,
/// also after the end of the ORB.
class PERIGEE_API PinnedMemory {
 public:
  PinnedMemory() noexcept = default;
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  virtual ~PinnedMemory();
};

}  // namespace perigee::cdr
