// The one file in which the client's errors become CORBA exceptions.
//
// Completion status: NO if the transport has not accepted the request's last octet, or if the peer
// sent CloseConnection before any piece of a reply. Otherwise MAYBE. This file does not decide
// about calls with a reply header: invoke.cpp takes the status from the reply, or YES if the reply
// cannot be decoded. Sources: interop facts 19, 21, 22, 24 of docs/interop.md.
#include "orb/connection/invocation_error.h"
#include "orb/values/system_exceptions.h"

#include <algorithm>

namespace perigee::orb {

namespace {

using CORBA::COMPLETED_MAYBE;
using CORBA::COMPLETED_NO;
using CORBA::CompletionStatus;

constexpr InvocationStage stages[] = {InvocationStage::resolving, InvocationStage::connecting,
                                      InvocationStage::sending, InvocationStage::awaiting,
                                      InvocationStage::forwarding};

std::string_view stage_text(InvocationStage stage) noexcept {
  switch (stage) {
    case InvocationStage::resolving:
      return "choosing a profile";
    case InvocationStage::connecting:
      return "connecting";
    case InvocationStage::sending:
      return "sending the request";
    case InvocationStage::awaiting:
      return "waiting for the reply";
    case InvocationStage::forwarding:
      return "following a location forward";
  }
  return "invoking";
}

// A server may refuse a request because of its size, and close the connection without a reply. So
// the text names the size.
std::string size_hint(const InvocationError& error) {
  constexpr std::uint64_t large = 64 * 1024;  // smaller requests hardly ever fail in the middle
  const bool is_cut = error.stage == InvocationStage::sending && !error.request_accepted;
  const bool is_refused = error.cause == FailureCause::message_error;
  if (error.request_size == 0 || (!is_refused && (!is_cut || error.request_size < large)))
    return {};
  return "; the request has " + std::to_string(error.request_size) +
         " octets: the server may allow less (its -ORBMessageSizeMax)";
}

std::string cause_text(const InvocationError& error) {
  switch (error.cause) {
    case FailureCause::none:
      break;
    case FailureCause::no_usable_profile:
      return "no protocol of this ORB can use a profile of the reference (an address of TLS needs "
             "-ORBTls allowed)";
    case FailureCause::protocols_excluded:
      return "ClientProtocolPolicy has none of these protocols";
    case FailureCause::other_host:
      return "these addresses belong to another host, and can be used only there";
    case FailureCause::connect:
      return to_string(error.io);
    case FailureCause::transfer:
      return to_string(error.io) + size_hint(error);
    case FailureCause::nested_too_deep:
      return "too many upcalls on this thread wait for replies (-ORBNestedUpcallDepthMax, "
             "-ORBSpareThreadsMax)";
    case FailureCause::timed_out:
      return "no reply from a new connection within -ORBFirstReplyTimeout (0 turns it off)";
    case FailureCause::deadline:
      return "the time of RelativeRoundtripTimeoutPolicy, of RelativeRequestTimeoutPolicy, of "
             "-ORBCallTimeout or, over datagrams, of -ORBDatagramCallTimeout has passed";
    case FailureCause::closed_by_peer:
      return "the server closed the connection in an orderly way";
    case FailureCause::reply_cut:
      return "the server closed the connection before the last fragment of its reply";
    case FailureCause::message_error:
      return "the server answered MessageError" + size_hint(error);
    case FailureCause::bad_message:
      if (!error.limit_text.empty()) return "the server has sent " + error.limit_text;
      return "the server sent a malformed message: " +
             std::string(messaging::to_string(error.framing));
    case FailureCause::code_sets:
      return "no code set that both sides understand";
    case FailureCause::encode:
      return "encoding: " + cdr::to_string(error.cdr);
    case FailureCause::forward_hops:
      return "forwarded more often than -ORBForwardHopsMax allows";
    case FailureCause::nil_forward:
      return "forwarded to the nil reference";
    case FailureCause::rebind:
      return "the server forwards the call, and RebindPolicy has the value NO_REBIND";
    case FailureCause::bad_forward:
      return "bad reference: " + cdr::to_string(error.cdr) +
             (error.cdr.kind == cdr::ErrorKind::too_large ? "; -ORBProfilesMax limits its profiles"
                                                          : "");
    case FailureCause::peer_gone:
      return "the client's own connection, over which its objects were called, has ended; the "
             "client has to connect again";
    case FailureCause::callbacks_lost:
      return "the connection over which the server called objects of this client has ended; the "
             "next call opens another connection, and the client has to register these objects "
             "again";
    case FailureCause::addressing_mode:
      return "the server asks for another addressing mode again and again";
    case FailureCause::cancelled:
      return "the caller has cancelled the call";
    case FailureCause::shut_down:
      return "the ORB was shut down";
    case FailureCause::too_many_calls:
      return "too many asynchronous calls are in progress (-ORBRequestsInFlightMax), or wait for a "
             "server that does not read (-ORBSendQueueSizeMax)";
    case FailureCause::no_memory:
      return "out of memory";
    case FailureCause::intercepted:
      return "an interceptor has ended the call";
  }
  return "failed";
}

std::string describe(const InvocationError& error) {
  const std::string cause = cause_text(error);
  std::string text(stage_text(error.stage));
  // The error text of the operating system may name the endpoint already.
  if (cause.find(error.endpoint) == std::string::npos) text += " (" + error.endpoint + ")";
  return text + ": " + cause;
}

}  // namespace

bool tells_of_call(std::string_view text) noexcept {
  return std::ranges::any_of(stages, [text](InvocationStage stage) {
    const std::string_view begin = stage_text(stage);
    if (!text.starts_with(begin)) return false;
    const std::string_view rest = text.substr(begin.size());
    return rest.starts_with(" (") || rest.starts_with(": ");
  });
}

void raise_invocation_error(const InvocationError& error) {
  const CompletionStatus completed = error.request_accepted ? COMPLETED_MAYBE : COMPLETED_NO;
  const std::string text = describe(error);
  switch (error.cause) {
    case FailureCause::no_usable_profile:
    case FailureCause::other_host:
    case FailureCause::connect:
      if (error.io.kind == IoErrorKind::untrusted)
        throw CORBA::NO_PERMISSION(minor_untrusted, COMPLETED_NO, text);
      throw CORBA::TRANSIENT(minor_no_usable_profile, COMPLETED_NO, text);
    case FailureCause::protocols_excluded:
      throw CORBA::INV_POLICY(0, COMPLETED_NO, text);
    case FailureCause::peer_gone:
      throw CORBA::TRANSIENT(minor_peer_gone, COMPLETED_NO, text);
    case FailureCause::callbacks_lost:
      throw CORBA::TRANSIENT(minor_callbacks_lost, COMPLETED_NO, text);
    case FailureCause::closed_by_peer:
      throw CORBA::TRANSIENT(minor_closed_by_peer, COMPLETED_NO, text);
    case FailureCause::nested_too_deep:
      throw CORBA::NO_RESOURCES(0, completed, text);
    case FailureCause::timed_out:
      throw CORBA::TIMEOUT(minor_mute_peer, completed, text);
    case FailureCause::deadline:
      throw CORBA::TIMEOUT(minor_deadline, completed, text);
    case FailureCause::transfer:
    case FailureCause::reply_cut:
    case FailureCause::message_error:
    case FailureCause::bad_message:
      throw CORBA::COMM_FAILURE(0, completed, text);
    case FailureCause::encode:
      raise_encode_error(error.cdr, Sender::client, COMPLETED_NO, error.limit_text);
    case FailureCause::code_sets:
      throw CORBA::CODESET_INCOMPATIBLE(minor_no_common_code_set, COMPLETED_NO, text);
    case FailureCause::forward_hops:
      throw CORBA::TRANSIENT(minor_forward_hops, COMPLETED_NO, text);
    case FailureCause::nil_forward:
      throw CORBA::INV_OBJREF(0, COMPLETED_NO, text);
    case FailureCause::rebind:
      throw CORBA::REBIND(0, COMPLETED_NO, text);
    case FailureCause::bad_forward:
      if (error.cdr.kind == cdr::ErrorKind::too_large)
        throw CORBA::IMP_LIMIT(0, COMPLETED_NO, text);
      throw CORBA::MARSHAL(0, COMPLETED_NO, text);
    case FailureCause::addressing_mode:
      throw CORBA::NO_IMPLEMENT(0, COMPLETED_NO, text);
    case FailureCause::cancelled:
      throw CORBA::NO_RESPONSE(minor_cancelled, completed, text);
    case FailureCause::shut_down:
      throw CORBA::BAD_INV_ORDER(minor_shut_down, completed, text);
    case FailureCause::too_many_calls:
      throw CORBA::TRANSIENT(minor_too_many_calls, COMPLETED_NO, text);
    case FailureCause::no_memory:
      throw CORBA::NO_MEMORY(0, completed);
    case FailureCause::intercepted:
      if (error.thrown) std::rethrow_exception(error.thrown);
      break;
    case FailureCause::none:
      break;
  }
  throw CORBA::INTERNAL(0, completed, text);
}

}  // namespace perigee::orb
