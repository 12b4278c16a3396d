// The messages `brief`: requests and replies in frames with a header of twelve octets.
//
//   octet   0  0xB7.
//           1  The kind: perigee::messaging::MessageKind.
//           2  1 if little-endian, 0 if big-endian.
//           3  Response flags of a request, status of a reply, else 0.
//         4-7  Size of the message without the header.
//        8-11  Request id, or 0.
//
// CDR follows the header. A request has contexts, object key and operation there, a reply has
// contexts, and a locate request has the object key. Then the body follows, aligned to 8 octets.
// There are no fragments.
#pragma once

#include <perigee/messaging/protocol.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace board {

inline constexpr std::uint8_t frame_marker = 0xb7;
inline constexpr std::size_t frame_header_size = 12;

[[nodiscard]] std::unique_ptr<perigee::messaging::MessagingProtocol> make_brief_messages(
    const perigee::messaging::Limits& limits);

}  // namespace board
