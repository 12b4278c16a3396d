// Service contexts as the mapping has them: with octets of their own.
#include "poa/context_copies.h"

#include "orb/serving/server_interception.h"  // defines iop::ServiceContext

#include <cstdint>

namespace perigee::poa {

IOP::ServiceContext copy_of(const iop::ServiceContext& context) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(context.data.data());
  return {context.id, {first, first + context.data.size()}};
}

std::optional<IOP::ServiceContext> context_in(const orb::ServerRequest& request,
                                              IOP::ServiceId id) {
  for (const iop::ServiceContext& context : request.contexts())
    if (context.id == id) return copy_of(context);
  return std::nullopt;
}

}  // namespace perigee::poa
