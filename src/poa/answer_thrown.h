// What servants throw, as an answer.
#pragma once

#include <perigee/orb/server_request.h>

namespace perigee::poa {

/// In a catch clause: answers with what was thrown. ForwardRequest forwards. If there was an answer
/// before, what was thrown has nobody to go to: it is logged. Source: CORBA 3.0, 4.12.3 and 11.3.4.
void answer_thrown(orb::ServerRequest& request) noexcept;

}  // namespace perigee::poa
