// The pool of shared buffers of an ORB.
#include "orb/core/orb_core.h"
#include <perigee/orb/exceptions.h>
#include <perigee/orb/shared_memory.h>

namespace perigee {

namespace orb {

std::expected<perigee::shared_pool, IoError> OrbCore::shared_pool() const {
  if (shared_pool_source_) return shared_pool_source_();
  return std::unexpected(
      IoError{IoErrorKind::unsupported, IoOperation::create, 0, "a shared pool"});
}

}  // namespace orb

shared_pool shared_pool_of(CORBA::ORB& orb) {
  auto pool = orb._core()->shared_pool();
  if (!pool) throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO, to_string(pool.error()));
  return *std::move(pool);
}

}  // namespace perigee
