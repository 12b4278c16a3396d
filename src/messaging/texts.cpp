// The texts of this layer, and the bodies of functions that its public headers declare.
#include <perigee/messaging/protocol.h>

namespace perigee::messaging {

std::string_view missing(const Needs& needed, const Carrier& offered) noexcept {
  if (needed.shape && *needed.shape != offered.shape)
    return *needed.shape == Shape::stream ? "carry streams of octets" : "keep datagrams apart";
  if (needed.two_way && offered.flow != Flow::both) return "move octets in both directions";
  if (needed.reliable && !offered.reliable) return "deliver all octets that are sent";
  if (needed.ordered && !offered.ordered) return "keep the order in which octets are sent";
  return {};
}

Fit fit(const MessagingProtocol& messages, const Carrier& carrier) noexcept {
  const std::string_view all = missing(messages.needs(Use::two_way), carrier);
  if (all.empty()) return {};
  const std::string_view oneway = missing(messages.needs(Use::oneway), carrier);
  if (oneway.empty()) return {Carries::oneways, all};
  return {Carries::nothing, oneway};
}

void Session::gather(const cdr::Buffer& message, std::vector<OctetSpan>& segments,
                     Octets& /*fragment_headers*/) const {
  message.gather(segments);
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
      return "the message exceeds a limit";
    case FramingError::bad_fragment:
      return "a fragment of no message, or of a message that cannot be fragmented";
    case FramingError::bad_header:
      return "malformed message header";
  }
  return "unknown framing error";
}

}  // namespace perigee::messaging
