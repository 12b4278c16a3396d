// GIOP whose messages are numbered when they depart: the receiver ends the connection at the first
// message that is missing, duplicated or out of order. For tests of sealing sessions.
#pragma once

#include <perigee/messaging/protocol.h>

#include <cstdint>
#include <memory>

namespace perigee::test {

/// The protocol "numbered". Each message begins with "NUMB" and a number of four octets, from 1.
[[nodiscard]] std::unique_ptr<messaging::MessagingProtocol> make_numbered_messages(
    const messaging::Limits& limits);

/// Messages of this process that arrived with a wrong number.
[[nodiscard]] std::uint64_t misnumbered_messages() noexcept;
/// Messages of this process that arrived with the right number.
[[nodiscard]] std::uint64_t numbered_messages() noexcept;

}  // namespace perigee::test
