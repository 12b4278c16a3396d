// The floors of the cubit experiment: a ping-pong over TCP or a UNIX-domain socket.
#pragma once

#include <cstdint>
#include <string>

namespace perigee::bench {

/// In octets.
struct MessageSizes {
  std::uint32_t request;
  std::uint32_t reply;
};
/// The sizes of the GIOP messages that Perigee sends for a call of the workload.
MessageSizes giop_sizes(const std::string& workload);

/// Listens at `place`: "tcp" is a free port of the loopback interface, any other text is the path
/// of a socket. Prints the address for clients, then serves each connection on its own thread until
/// it is killed.
int run_raw_server(const std::string& place);
/// The same on one thread that waits with epoll_wait.
int run_raw_epoll_server(const std::string& place);
/// `messages`: "GIOP" or "GIOPlite". The raw messages have the sizes of such messages.
int run_raw_client(const std::string& place, const std::string& messages);
/// The same with the server of raw_ring.h.
int run_raw_ring_client(const std::string& path, const std::string& messages);
/// The same without a server: see raw_copies.h.
int run_raw_copies_client(const std::string& messages);

}  // namespace perigee::bench
