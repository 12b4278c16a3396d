// The messages of the experiment's C programs: GIOP 1.2, in this machine's byte order. Each request
// and each reply ends with a time stamp.
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

/// A request for `relay`. Its request id and its time stamp are zeros.
std::string make_relay_request(const RawTarget& target);

RelayReply make_relay_reply(const RequestId& request_id, const TimeStamp& time_stamp);

/// The size of the message that starts at `begin`; 0 if it is incomplete.
std::size_t whole_message(const char* begin, std::size_t available);

/// The request id and the time stamp of a whole request or reply. `message` is its first octet.
RequestId request_id_of(const char* message);
TimeStamp time_stamp_of(const char* message, std::size_t size);

}  // namespace perigee::bench
