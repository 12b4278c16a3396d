// Writes and reads the GIOP messages that the C programs of the middletier experiment exchange.
#include "relay_messages.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace perigee::bench {

std::string make_relay_request(const RawTarget& target) {
  std::string request = make_raw_request(target, "relay");
  while (request.size() % time_stamp_size != 0) request += '\0';
  request.append(time_stamp_size, '\0');
  const auto size = static_cast<std::uint32_t>(request.size() - message_header_size);
  std::memcpy(request.data() + 8, &size, sizeof size);
  return request;
}

RelayReply make_relay_reply(const RequestId& request_id, const TimeStamp& time_stamp) {
  constexpr char little_endian = std::endian::native == std::endian::little ? 1 : 0;
  RelayReply reply{'G', 'I', 'O', 'P', 1, 2, little_endian, reply_type};
  const std::uint32_t size = reply.size() - message_header_size;
  std::memcpy(reply.data() + 8, &size, sizeof size);
  std::ranges::copy(request_id, reply.data() + message_header_size);
  std::ranges::copy(time_stamp, reply.end() - time_stamp_size);
  return reply;
}

std::size_t whole_message(const char* begin, std::size_t available) {
  if (available < message_header_size) return 0;
  std::uint32_t body = 0;
  std::memcpy(&body, begin + 8, sizeof body);
  return available - message_header_size < body ? 0 : message_header_size + body;
}

RequestId request_id_of(const char* message) {
  RequestId id;
  std::copy_n(message + message_header_size, id.size(), id.begin());
  return id;
}

TimeStamp time_stamp_of(const char* message, std::size_t size) {
  TimeStamp time_stamp;
  std::copy_n(message + size - time_stamp.size(), time_stamp.size(), time_stamp.begin());
  return time_stamp;
}

}  // namespace perigee::bench
