// Turns exceptions of servants into answers.
#pragma once

#include <perigee/orb/server_request.h>

namespace perigee::poa {

/// Called in a catch clause: replies with the exception. ForwardRequest becomes a forward. If a
/// reply was given before, the exception is only logged. Source: CORBA 3.0, 4.12.3 and 11.3.4.
void answer_thrown(orb::ServerRequest& request) noexcept;

}  // namespace perigee::poa
