// Transfers over a socket as a C program makes them. The sockets block.
#pragma once

#include <cstddef>

namespace perigee::bench {

/// Throws std::runtime_error with errno's text.
void check_call(bool succeeded, const char* what);

/// Sends all `size` octets. Throws std::runtime_error if the peer has closed the connection.
void send_all(int fd, const void* octets, std::size_t size);
/// Receives at least one octet, and at most `size` octets. 0: the end of the stream.
std::size_t receive_some(int fd, void* space, std::size_t size);
/// Receives all `size` octets. False at the end of the stream.
bool receive_all(int fd, void* space, std::size_t size);

}  // namespace perigee::bench
