// The floors of the cubit experiment: a ping-pong over TCP or a UNIX-domain socket.
#pragma once

#include <string>

namespace perigee::bench {

/// Listens at `place`: "tcp" is a free port of the loopback interface, else it is the path of a
/// socket. Prints what a client connects to, then serves each connection on a thread of its own
/// until killed.
int run_raw_server(const std::string& place);
/// The same on one thread that waits with epoll_wait.
int run_raw_epoll_server(const std::string& place);
/// `messages`: "GIOP" or "GIOPlite", whose messages are as large.
int run_raw_client(const std::string& place, const std::string& messages);

}  // namespace perigee::bench
