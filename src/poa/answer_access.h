// Access to an Answer for functions that its public header does not declare.
#pragma once

#include <perigee/poa/answer.h>

namespace perigee::skeleton {

struct AnswerAccess {
  static poa::Outstanding* outstanding(const Answer& answer) noexcept {
    return answer.outstanding_;
  }
};

}  // namespace perigee::skeleton
