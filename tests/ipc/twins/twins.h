// The same scripts through the wrappers, and through C calls like those of a careful C program.
// compare_twins.py compares their system calls and counts their instructions.
#pragma once

#include <cstddef>

namespace perigee::twins {

/// Octets of each transfer.
inline constexpr std::size_t message_size = 64;

/// Opens both ends, moves `count` messages from one end to the other, ends the connection, and
/// closes. Returns 0, an errno, or -1 if wrong octets arrived.
using Script = int (*)(long count);

struct Twins {
  const char* family;
  Script wrapped;
  Script plain;
};

namespace wrapped {
int sock(long count);
int sock_v6(long count);
int gather(long count);
int lsock(long count);
int spipe(long count);
int fifo(long count);
int dgram(long count);
int codgram(long count);
int local_dgram(long count);
int timed(long count);
int timed_dgram(long count);
int bcast(long count);
int mcast(long count);
int handles(long count);
int send_file(long count);
int recv_file(long count);
}  // namespace wrapped

namespace plain {
int sock(long count);
int sock_v6(long count);
int gather(long count);
int lsock(long count);
int spipe(long count);
int fifo(long count);
int dgram(long count);
int codgram(long count);
int local_dgram(long count);
int timed(long count);
int timed_dgram(long count);
int bcast(long count);
int mcast(long count);
int handles(long count);
int send_file(long count);
int recv_file(long count);
}  // namespace plain

}  // namespace perigee::twins
