// Makes the protocol and its sessions.
#include "giop/session.h"

#include <perigee/giop/giop.h>

namespace perigee::giop {

std::string Giop::version_text(messaging::Version version) const {
  if (version == lite_version) return "GIOPlite";
  return "GIOP " + std::to_string(version.major) + '.' + std::to_string(version.minor);
}

// Each message says its size, so datagrams will do, too. A oneway is complete in itself.
messaging::Needs Giop::needs(messaging::Use use) const noexcept {
  const bool two_way = use == messaging::Use::two_way;
  return {.shape = std::nullopt, .reliable = two_way, .ordered = two_way, .two_way = two_way};
}

std::unique_ptr<messaging::Session> Giop::open(messaging::Role /*role*/,
                                               const messaging::Carrier& /*carrier*/) const {
  return std::make_unique<GiopSession>(*this);
}

std::unique_ptr<messaging::MessagingProtocol> make_giop(const messaging::Limits& limits) {
  return std::make_unique<Giop>(limits);
}

}  // namespace perigee::giop
