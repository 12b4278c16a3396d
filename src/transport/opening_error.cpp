// The error of a handshake, with the reason of the transport if it has one.
#include <perigee/transport/transport.h>

#include <string>

namespace perigee::transport {

IoError opening_error(const Transport& transport, const IoResult& result) {
  IoErrorKind kind = IoErrorKind::system;
  if (result.status == IoStatus::timed_out) kind = IoErrorKind::timed_out;
  if (result.status == IoStatus::end_of_stream) kind = IoErrorKind::end_of_stream;
  const auto refusal = transport.refusal();
  if (!refusal.why.empty())
    return {refusal.kind, IoOperation::connect, 0,
            transport.peer() + " (handshake: " + refusal.why + ")"};
  return {kind, IoOperation::connect, result.code, transport.peer() + " (handshake)"};
}

}  // namespace perigee::transport
