// GIOP as a C program would speak it: connections and requests without an ORB, so that a client
// costs the same whatever serves it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace perigee::bench {

/// Throws std::runtime_error with errno's text.
void check_call(bool succeeded, const char* what);

struct RawTarget {
  std::uint16_t port = 0;
  std::string key = std::string(24, 'k');
};
/// Of an IOR or, for a server that looks at no key, a port.
RawTarget parse_raw_target(const std::string& reference);

/// A GIOP 1.2 request in this machine's byte order; its id stands at octet 12. `octets`: the size
/// of a sequence of octets as its argument, if not 0.
std::string make_raw_request(const RawTarget& target, const std::string& operation,
                             std::size_t octets = 0);

/// A connection to this host, without delay. Of a source address of its own for each `source`, as
/// one address has only so many ports.
int connect_raw(std::uint16_t port, std::uint8_t source = 1);

/// Listens on this host, and prints the port.
int open_raw_listener();

/// Accepts a connection, without delay. -1: there is none, or an error.
int accept_raw(int listener);

/// Has an epoll report that the handle, which stands in the event's data, can be read.
void watch_raw(int epoll, int fd);

/// Sends the whole request.
void send_raw(int fd, const std::string& request);
/// Receives a reply, whole, and throws unless it is one without an exception.
void receive_raw_reply(int fd);

}  // namespace perigee::bench
