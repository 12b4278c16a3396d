// The service contexts of the innermost upcall of the calling thread.
#include "poa/upcall.h"
#include <perigee/poa/request_contexts.h>

#include <vector>

namespace perigee {

std::optional<IOP::ServiceContext> request_service_context(IOP::ServiceId id) {
  const poa::Upcall* const upcall = poa::Upcall::current();
  if (upcall == nullptr) return std::nullopt;
  for (const iop::ServiceContext& context : upcall->request().contexts()) {
    if (context.id != id) continue;
    const auto* const first = reinterpret_cast<const std::uint8_t*>(context.data.data());
    return IOP::ServiceContext(id, {first, first + context.data.size()});
  }
  return std::nullopt;
}

}  // namespace perigee
