// Sequences in memory that client and server on one host share: docs/shared_memory.md.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/orb.h>
#include <perigee/transport/shared_pool.h>

namespace perigee {

/// The pool of the ORB, which makes it at the first call, or when the first connection needs it.
/// Its size is -ORBSharedPoolSize. A `@perigee::borrowed` argument that is the last one of its
/// operation, and lies in a block of this pool, reaches a server on the same host without a copy:
/// if the connection uses shared memory, and if both ORBs have the option -ORBSharedMemoryTrust
/// yes. Otherwise it is sent like any other argument. Any thread. Throws NO_RESOURCES if the system
/// refuses the memory.
[[nodiscard]] PERIGEE_API shared_pool shared_pool_of(CORBA::ORB& orb);

}  // namespace perigee
