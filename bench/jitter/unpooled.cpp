// Replaces the library's pools: each handler, frame and request in flight is allocated and
// released.
#include <perigee/base/pool.h>

namespace perigee::pool {

void* allocate(std::size_t size) { return ::operator new(size); }
void release(void* memory, std::size_t size) noexcept { ::operator delete(memory, size); }

}  // namespace perigee::pool
