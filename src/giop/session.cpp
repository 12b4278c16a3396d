// Makes the protocol and its sessions.
#include "giop/session.h"

#include <perigee/giop/giop.h>

namespace perigee::giop {

std::string Giop::version_text(messaging::Version version) const {
  if (version == lite_version) return "GIOPlite";
  return "GIOP " + std::to_string(version.major) + '.' + std::to_string(version.minor);
}

// Each message contains its size, so datagrams are suitable, too. A oneway has no reply. A two-way
// call whose request or reply is lost ends at its deadline: the client sets a deadline if octets
// may be lost.
messaging::Needs Giop::needs(messaging::Use use) const noexcept {
  return {.shape = std::nullopt,
          .reliable = false,
          .ordered = false,
          .two_way = use == messaging::Use::two_way};
}

std::unique_ptr<messaging::Session> Giop::open(messaging::Role /*role*/,
                                               const messaging::Carrier& carrier) const {
  return std::make_unique<GiopSession>(*this, carrier);
}

std::unique_ptr<messaging::MessagingProtocol> make_giop(const messaging::Limits& limits) {
  return std::make_unique<Giop>(limits);
}

}  // namespace perigee::giop
