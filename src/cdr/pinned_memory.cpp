// The virtual destructor of pinned memory.
#include <perigee/cdr/pinned_memory.h>

namespace perigee::cdr {

PinnedMemory::~PinnedMemory() = default;

}  // namespace perigee::cdr
