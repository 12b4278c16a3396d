// Texts of the framing errors, for logs. The interfaces of this layer are all in its public
// headers.
#include <perigee/messaging/protocol.h>

namespace perigee::messaging {

std::string_view to_string(FramingError error) noexcept {
  switch (error) {
    case FramingError::bad_magic:
      return "the octets are not a message of this protocol";
    case FramingError::unsupported_version:
      return "unsupported protocol version";
    case FramingError::bad_type:
      return "unknown message type";
    case FramingError::too_large:
      return "message beyond a limit";
    case FramingError::bad_fragment:
      return "fragment out of place";
    case FramingError::bad_header:
      return "malformed message header";
  }
  return "unknown framing error";
}

}  // namespace perigee::messaging
