// Replaces the library's pools: `operator new` allocates each response handler, coroutine frame and
// request in flight, and `operator delete` frees it.
#include <perigee/base/pool.h>

namespace perigee::pool {

void* allocate(std::size_t size) { return ::operator new(size); }
void release(void* memory, std::size_t size) noexcept { ::operator delete(memory, size); }

}  // namespace perigee::pool
