// GIOP 1.0, 1.1 and 1.2 as a messaging protocol. The interface is in `messaging`; this header has
// the factory.
#pragma once

#include <perigee/base/export.h>
#include <perigee/messaging/protocol.h>

#include <memory>

namespace perigee::giop {

/// GIOPlite: GIOP 1.2 with shorter headers of requests and replies. All other messages have the
/// form of GIOP 1.2, and so do requests and replies with fields that the short headers lack. The
/// minor version is that of GIOP.
inline constexpr messaging::Version lite_version{2, 2};

/// The General Inter-ORB Protocol, versions 1.0 to 1.2. Its sessions do not seal messages (see
/// `Session::seals`).
///
/// Sends messages in the version that the caller names. In version 1.2, messages above
/// `limits.fragment_size` are sent in fragments; in other versions, all messages are sent whole.
/// Reads GIOPlite wherever a message may begin, and writes it for `lite_version`: see
/// docs/protocols.md.
/// Source: CORBA 3.0, chapter 15.
PERIGEE_API std::unique_ptr<messaging::MessagingProtocol> make_giop(
    const messaging::Limits& limits = {});

}  // namespace perigee::giop
