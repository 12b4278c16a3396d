// What the interfaces of this layer say in words: all else is in its public headers.
#include <perigee/messaging/protocol.h>

namespace perigee::messaging {

std::string_view missing(const Delivery& needed, const Delivery& offered) noexcept {
  using enum Delivery::Shape;
  if (needed.shape == stream && offered.shape != stream) return "carry streams of octets";
  if (needed.shape == datagrams && offered.shape != datagrams) return "keep datagrams apart";
  if (needed.reliable && !offered.reliable) return "deliver all that is sent";
  if (needed.ordered && !offered.ordered) return "keep the order of what is sent";
  return {};
}

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
