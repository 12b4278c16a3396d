// GIOP as a C program would use it: connections and requests without an ORB. So a client costs the
// same for every server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace perigee::bench {

struct RawTarget {
  std::uint16_t port = 0;
  std::string key = std::string(24, 'k');
};
/// The target of an IOR, or a port of a server that ignores the key.
RawTarget parse_raw_target(const std::string& reference);

/// A GIOP 1.2 request in this machine's byte order, with its id at octet 12. `octets`: the size of
/// the argument, a sequence of octets; 0: no argument.
std::string make_raw_request(const RawTarget& target, const std::string& operation,
                             std::size_t octets = 0);
/// The same with arguments that the caller has encoded, in this machine's byte order.
std::string make_encoded_request(const RawTarget& target, const std::string& operation,
                                 const std::string& arguments);
/// Appends a number of 32 bits, aligned to 4 octets.
void append_ulong(std::string& message, std::size_t value);

/// A connection to this host, with TCP_NODELAY. Each `source` has its own source address, because
/// the number of ports of one address is limited.
int connect_raw(std::uint16_t port, std::uint8_t source = 1);

/// Listens on this host, and prints the port.
int open_raw_listener();

/// Accepts a connection, and sets TCP_NODELAY. Waits for a connection. -1: an error.
int accept_raw(int listener);

/// Registers the handle with epoll for reading. The event's data is the handle.
void watch_raw(int epoll, int fd);

/// Sends the whole request.
void send_raw(int fd, const std::string& request);
/// Receives a whole reply. Throws if the reply is incomplete or has an exception.
void receive_raw_reply(int fd);

}  // namespace perigee::bench
