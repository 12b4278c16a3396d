// The messaging protocols that an ORB uses, and their versions.
#include "orb/context/orb_context.h"

#include "engine/connection/connection_ref.h"

#include <algorithm>

namespace perigee::orb {

engine::ConnectionRef Server::adopt(std::unique_ptr<transport::Transport> /*opened*/,
                                    const messaging::MessagingProtocol& /*messages*/) {
  return {};
}

const messaging::MessagingProtocol& messaging_of(const OrbContext& context,
                                                 std::string_view scheme) noexcept {
  const messaging::MessagingProtocol* const own = context.protocols.messaging(scheme);
  return own != nullptr ? *own : context.messaging;
}

// `Settings::version_max` is for GIOP: other messages have versions of their own.
messaging::Version version_max(const OrbContext& context,
                               const messaging::MessagingProtocol& messages) noexcept {
  return &messages == &context.messaging
             ? std::min(context.settings.version_max, messages.version_max())
             : messages.version_max();
}

}  // namespace perigee::orb
