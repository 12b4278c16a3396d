// The pool of shared buffers of an ORB.
#include "orb/core/orb_core.h"
#include <perigee/orb/exceptions.h>
#include <perigee/orb/shared_memory.h>

namespace perigee {

shared_pool shared_pool_of(CORBA::ORB& orb) {
  LazyPool* const source = orb._core()->shared_pool();
  if (source == nullptr)
    throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO, "the ORB was made without a shared pool");
  auto pool = source->get();
  if (!pool) throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO, to_string(pool.error()));
  return *pool;
}

}  // namespace perigee
