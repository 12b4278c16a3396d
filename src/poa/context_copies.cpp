// Service contexts as the mapping has them: with octets of their own.
#include "poa/context_copies.h"

#include "base/octet_vector.h"
#include "orb/serving/server_interception.h"  // defines iop::ServiceContext

namespace perigee::poa {

IOP::ServiceContext copy_of(const iop::ServiceContext& context) {
  return {context.id, octet_vector(context.data)};
}

std::optional<IOP::ServiceContext> context_in(const orb::ServerRequest& request,
                                              IOP::ServiceId id) {
  for (const iop::ServiceContext& context : request.contexts())
    if (context.id == id) return copy_of(context);
  return std::nullopt;
}

}  // namespace perigee::poa
