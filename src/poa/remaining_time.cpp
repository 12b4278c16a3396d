// The remaining time of the caller, from the request in the upcall or from the deferred request.
#include "poa/answer_access.h"
#include "poa/outstanding.h"
#include "poa/upcall.h"
#include <perigee/poa/remaining_time.h>

namespace perigee {

std::optional<std::chrono::microseconds> remaining_time() noexcept {
  const poa::Upcall* const upcall = poa::Upcall::current();
  if (upcall == nullptr || !upcall->request().time_limited()) return std::nullopt;
  return std::chrono::microseconds(upcall->request().remaining_time());
}

std::optional<std::chrono::microseconds> remaining_time_of(
    const skeleton::Answer& answer) noexcept {
  poa::Outstanding* const outstanding = skeleton::AnswerAccess::outstanding(answer);
  return outstanding != nullptr ? outstanding->remaining_time() : std::nullopt;
}

}  // namespace perigee
