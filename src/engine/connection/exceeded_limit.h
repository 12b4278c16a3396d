// The limit of incoming messages that a peer has exceeded.
#pragma once

#include <cstdint>

namespace perigee::engine {

/// The limits that end a connection.
enum class MessageLimit : std::uint8_t {
  none,
  message_size,
  fragments,         ///< the limit of the fragments of one message
  partial_messages,  ///< fragmented messages in progress
  partial_size,      ///< octets of all fragmented messages in progress
  service_contexts,  ///< the limit of the contexts of one message; their number is not known
};

struct ExceededLimit {
  MessageLimit limit = MessageLimit::none;
  std::uint64_t size = 0;      ///< what the peer has sent or announced; fragments may follow
  std::uint64_t size_max = 0;  ///< the value of the limit
};

}  // namespace perigee::engine
