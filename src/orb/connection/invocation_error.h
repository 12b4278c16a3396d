// The reason why a call did not get its reply, as a value of the client. Only error_mapping.cpp
// turns it into a CORBA exception.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/cdr/errors.h>
#include <perigee/messaging/protocol.h>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace perigee::orb {

/// The cause of the failure of a connection or a call.
enum class FailureCause : std::uint8_t {
  none,
  no_usable_profile,   ///< no protocol can use a profile of the reference
  protocols_excluded,  ///< ClientProtocolPolicy has none of the protocols of the reference
  other_host,          ///< all endpoints of the reference can be used on another host only
  connect,             ///< see `io`
  transfer,            ///< sending or receiving failed: see `io`
  nested_too_deep,     ///< too many upcalls on this thread wait for replies already
  timed_out,           ///< no first reply on a new connection in time
  deadline,            ///< the call's own time has passed; the connection goes on
  closed_by_peer,      ///< CloseConnection: requests without a reply were not executed
  reply_cut,           ///< CloseConnection after the first fragment of the reply
  message_error,       ///< the peer answered MessageError
  bad_message,         ///< the peer sent a malformed message
  code_sets,           ///< there is no code set that both sides understand
  encode,              ///< the arguments cannot be encoded: see `cdr`
  forward_hops,        ///< forwarded too often
  nil_forward,         ///< forwarded to the nil reference
  bad_forward,         ///< the forward does not decode
  rebind,              ///< forwarded, which RebindPolicy forbids
  peer_gone,           ///< the client's connection, over which its objects were called, has ended
  callbacks_lost,      ///< the connection that was offered to the server has ended after callbacks
  addressing_mode,     ///< the peer wants an addressing mode that this ORB does not send
  // Only asynchronous calls have these causes.
  cancelled,       ///< by its caller
  shut_down,       ///< the ORB's shutdown was complete before the reply came
  too_many_calls,  ///< no connection takes one more call, or too much waits to be sent
  no_memory,
  intercepted,  ///< an interceptor has ended the call: see `thrown`
};

enum class InvocationStage : std::uint8_t { resolving, connecting, sending, awaiting, forwarding };

struct InvocationError {
  InvocationStage stage = InvocationStage::resolving;
  FailureCause cause = FailureCause::none;
  bool request_accepted = false;  ///< the transport has accepted the request's last octet
  IoError io;
  cdr::Error cdr;
  messaging::FramingError framing = messaging::FramingError::bad_magic;
  std::string endpoint;
  /// The limit that a message has exceeded; only with the causes `bad_message` and `encode`. Empty:
  /// not known.
  std::string limit_text;
  std::uint64_t request_size = 0;  ///< octets of the whole request; 0: not known
  std::exception_ptr thrown;       ///< with the cause `intercepted`: the exception for the caller
  std::string server_text;  ///< if the reply is a system exception: the server's text about it
};

/// The progress of a request: whether its last octet was accepted by the transport.
struct [[nodiscard]] TransactResult {
  FailureCause cause = FailureCause::none;  ///< none: the reply is in the slot, or it was a oneway
  InvocationStage stage = InvocationStage::sending;
  bool request_accepted = false;
};

/// Throws the CORBA system exception for the error. error_mapping.cpp explains its completion
/// status.
[[noreturn]] PERIGEE_INTERNAL_API void raise_invocation_error(const InvocationError& error);
/// Whether `raise_invocation_error` has made this text of an exception. Such texts name endpoints.
[[nodiscard]] bool tells_of_call(std::string_view text) noexcept;

}  // namespace perigee::orb
