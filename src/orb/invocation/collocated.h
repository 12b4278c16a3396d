// Calls to objects of the same ORB: no network and no message headers, but the same marshalling and
// the same adapter. So POA states, servant managers and exceptions act as for remote calls.
#pragma once

#include "orb/connection/invocation_error.h"
#include <perigee/base/deadline.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/decoder.h>
#include <perigee/messaging/message.h>
#include <perigee/orb/server_request.h>

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::orb {

class CallInterception;
class CollocatedWait;
struct OrbContext;

struct CollocatedCall {
  RequestDispatcher& dispatcher;
  std::string_view operation;
  OctetSpan object_key;
  messaging::ResponseFlags response = messaging::ResponseFlags::with_target;
  const cdr::Buffer& arguments;  ///< without borrowed segments
  CallInterception* interception = nullptr;
  Deadline deadline;  ///< ends the caller's wait, never the upcall; the servant can read it
};

/// The text of a system exception, which follows the exception in the body of a collocated reply.
[[nodiscard]] std::string collocated_detail(cdr::Decoder body) noexcept;

/// Makes the upcall in the calling thread. `reply` gets the body of the reply: results, exception
/// or the reference of a forward, as the status says. Empty if the servant defers its reply: then
/// `later` gets the body.
[[nodiscard]] std::optional<messaging::ReplyStatus> begin_collocated(
    const OrbContext& context, const CollocatedCall& call, cdr::Buffer& reply,
    std::shared_ptr<CollocatedWait>& later);

/// Makes the upcall in the calling thread. If the servant defers its reply, waits for the reply.
/// `reply` gets the body of the reply: results, exception or the reference of a forward, as the
/// status says. Fails with `deadline` or `nested_too_deep`.
[[nodiscard]] std::expected<messaging::ReplyStatus, FailureCause> dispatch_collocated(
    const OrbContext& context, const CollocatedCall& call, cdr::Buffer& reply);

}  // namespace perigee::orb
