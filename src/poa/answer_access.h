// What of an Answer is for functions beside it that its header does not name.
#pragma once

#include <perigee/poa/answer.h>

namespace perigee::skeleton {

struct AnswerAccess {
  static poa::Outstanding* outstanding(const Answer& answer) noexcept {
    return answer.outstanding_;
  }
};

}  // namespace perigee::skeleton
