// What octets travel over, and how it is set, as text: "tcp", "unix+non-blocking",
// "tcp+no-delay+queue=65536".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::bench {

enum class Medium : std::uint8_t {
  tcp,
  uring,  ///< TCP over io_uring
  unix_stream,
  seqpacket,
  pipe,
  fifo,
  shared_memory
};

/// Who makes the system calls.
enum class Version : std::uint8_t { c, wrapper };

struct Channel {
  Medium medium = Medium::tcp;
  bool no_delay = false;
  bool non_blocking = false;   ///< tries, and polls where it would have to wait
  std::size_t queue_size = 0;  ///< of socket buffers, the pipe or the ring, in octets; 0: default
  friend bool operator==(const Channel&, const Channel&) = default;
};

/// Throws std::runtime_error, which says what is right, for what it does not know and for options
/// that a medium does not have.
Channel parse_channel(std::string_view text);
std::string to_text(const Channel& channel);

/// Shared memory is the floor: nothing is wrapped there.
bool has_wrapper(const Channel& channel);

/// All media, and variants of sockets: what is measured if nothing else is asked for.
std::vector<std::string> default_channels();

}  // namespace perigee::bench
