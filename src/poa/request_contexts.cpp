// The service contexts of the request in the upcall, or of a deferred request.
#include "poa/answer_access.h"
#include "poa/context_copies.h"
#include "poa/outstanding.h"
#include "poa/upcall.h"
#include <perigee/poa/request_contexts.h>

namespace perigee {

std::optional<IOP::ServiceContext> request_service_context(IOP::ServiceId id) {
  const poa::Upcall* const upcall = poa::Upcall::current();
  return upcall != nullptr ? poa::context_in(upcall->request(), id) : std::nullopt;
}

std::optional<IOP::ServiceContext> request_service_context_of(const skeleton::Answer& answer,
                                                              IOP::ServiceId id) {
  poa::Outstanding* const outstanding = skeleton::AnswerAccess::outstanding(answer);
  return outstanding != nullptr ? outstanding->context(id) : std::nullopt;
}

}  // namespace perigee
