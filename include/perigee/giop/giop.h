// GIOP 1.0, 1.1 and 1.2 as a messaging protocol. The interface is messaging's; this makes the
// object.
#pragma once

#include <perigee/base/export.h>
#include <perigee/messaging/protocol.h>

#include <memory>

namespace perigee::giop {

/// GIOPlite: requests and replies of GIOP 1.2 with shorter headers. All other messages, and those
/// that say more than these headers can, are GIOP 1.2. Its minor version is that of GIOP.
inline constexpr messaging::Version lite_version{2, 2};

/// The General Inter-ORB Protocol, versions 1.0 to 1.2. Its sessions do not seal.
///
/// Sends whole messages in the version it is told, and cuts those above `limits.fragment_size` into
/// fragments in version 1.2.
/// Source: CORBA 3.0, chapter 15.
///
/// Understands GIOPlite, too, wherever a message may begin, and sends it where it is told
/// `lite_version`: see docs/protocols.md.
PERIGEE_API std::unique_ptr<messaging::MessagingProtocol> make_giop(
    const messaging::Limits& limits = {});

}  // namespace perigee::giop
