// Calls to objects of the same ORB: no network and no message headers, but the same marshalling and
// the same adapter, so that POA states, servant managers and exceptions act as they do from afar.
#pragma once

#include <perigee/base/octets.h>
#include <perigee/cdr/buffer.h>
#include <perigee/messaging/message.h>
#include <perigee/orb/server_request.h>

#include <string_view>

namespace perigee::orb {

class OrbCore;

struct CollocatedCall {
  RequestDispatcher& dispatcher;
  std::string_view operation;
  OctetSpan object_key;
  bool response_expected = true;
  const cdr::Buffer& arguments;  ///< without borrowed segments
};

/// Makes the upcall in the calling thread. `reply` gets the body of the reply: results, exception
/// or the reference of a forward, as the status says.
[[nodiscard]] messaging::ReplyStatus dispatch_collocated(OrbCore& core, const CollocatedCall& call,
                                                         cdr::Buffer& reply);

}  // namespace perigee::orb
