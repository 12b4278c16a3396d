// The stop token of a deferred reply.
#include "poa/answer_access.h"
#include "poa/outstanding.h"
#include <perigee/poa/stop_token.h>

namespace perigee {

std::stop_token stop_token_of(const skeleton::Answer& answer) {
  poa::Outstanding* const outstanding = skeleton::AnswerAccess::outstanding(answer);
  if (outstanding == nullptr) return {};
  outstanding->share_stop_token();
  return outstanding->stop_token();
}

}  // namespace perigee

namespace perigee::skeleton {

using poa::Outstanding;

std::stop_token lend_stop_token(const Answer& answer) {
  Outstanding* const outstanding = AnswerAccess::outstanding(answer);
  return outstanding != nullptr ? outstanding->stop_token() : std::stop_token();
}

void share_stop_token(const Answer& answer) noexcept {
  if (Outstanding* const outstanding = AnswerAccess::outstanding(answer))
    outstanding->share_stop_token();
}

void cancel_with(const Answer& answer, stub::CallHandle& call) noexcept {
  if (Outstanding* const outstanding = AnswerAccess::outstanding(answer))
    outstanding->cancel_with(call);
}

}  // namespace perigee::skeleton
