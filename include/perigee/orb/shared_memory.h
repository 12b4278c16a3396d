// Sequences in memory that client and server on one host share: docs/shared_memory.md.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/orb.h>
#include <perigee/transport/shared_pool.h>

namespace perigee {

/// The pool of the ORB. The ORB makes it at the first call, or when the first connection needs it;
/// its size is -ORBSharedPoolSize. An argument in a block of this pool reaches a server on the same
/// host without a copy, under the conditions of docs/shared_memory.md. One of them is the option
/// -ORBSharedMemoryTrust of both ORBs. Otherwise the argument is sent like any other one. Any
/// thread. Throws NO_RESOURCES if the system refuses the memory.
[[nodiscard]] PERIGEE_API shared_pool shared_pool_of(CORBA::ORB& orb);

}  // namespace perigee
