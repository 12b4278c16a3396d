// A connection that a server was given: by an endpoint, which says what messages it carries.
#pragma once

#include <perigee/messaging/protocol.h>
#include <perigee/transport/transport.h>

#include <memory>

namespace perigee::orb {

struct Accepted {
  std::unique_ptr<transport::Transport> transport;
  const messaging::MessagingProtocol* messaging = nullptr;  ///< lives as long as the ORB
};

}  // namespace perigee::orb
