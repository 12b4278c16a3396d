// The messages of the experiment in its C programs: GIOP 1.2, in this machine's byte order. The
// time stamp is at the end.
#pragma once

#include "connections/raw_giop.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace perigee::bench {

inline constexpr std::size_t message_header_size = 12;
inline constexpr std::size_t time_stamp_size = 8;
inline constexpr std::uint8_t request_type = 0;
inline constexpr std::uint8_t reply_type = 1;

using RequestId = std::array<char, 4>;
using TimeStamp = std::array<char, time_stamp_size>;
using RelayReply = std::array<char, 32>;

/// A request for `relay`, with an id and a time stamp of zeros.
std::string make_relay_request(const RawTarget& target);

RelayReply make_relay_reply(const RequestId& request_id, const TimeStamp& time_stamp);

/// The size of the message that begins there; 0 if it is incomplete.
std::size_t whole_message(const char* begin, std::size_t available);

/// The request id of a message that begins there, and the time stamp of a request or reply.
RequestId request_id_of(const char* message);
TimeStamp time_stamp_of(const char* message, std::size_t size);

}  // namespace perigee::bench
