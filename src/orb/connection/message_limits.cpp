// Each text names the option that sets the limit.
#include "orb/connection/message_limits.h"

namespace perigee::orb {

using engine::MessageLimit;

std::string to_string(const engine::ExceededLimit& exceeded) {
  const std::string size = std::to_string(exceeded.size);
  const std::string size_max = std::to_string(exceeded.size_max);
  switch (exceeded.limit) {
    case MessageLimit::none:
      break;
    case MessageLimit::message_size:
      return "a message of " + size + " octets or more; -ORBMessageSizeMax allows " + size_max;
    case MessageLimit::fragments:
      return "a message of " + size + " fragments or more; -ORBFragmentsMax allows " + size_max;
    case MessageLimit::partial_messages:
      return size + " fragmented messages at a time; -ORBPartialMessagesMax allows " + size_max;
    case MessageLimit::partial_size:
      return "fragmented messages of " + size +
             " octets or more in all; -ORBPartialSizeMax allows " + size_max;
    case MessageLimit::service_contexts:
      return "a message with more than " + size_max +
             " service contexts; -ORBServiceContextsMax allows no more";
  }
  return {};
}

std::string too_large_text(std::string_view what, std::uint64_t size,
                           const messaging::Limits& limits, messaging::Shape shape) {
  std::string text(what);
  text += " has " + std::to_string(size) + " octets";
  if (size > limits.message_size_max)
    return text + "; -ORBMessageSizeMax allows " + std::to_string(limits.message_size_max);
  if (shape == messaging::Shape::datagrams) return text + ", more than a datagram can carry";
  return {};
}

}  // namespace perigee::orb
