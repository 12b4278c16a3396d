// The medium of a transfer and its settings, as text: "tcp", "unix+non-blocking",
// "tcp+host-address", "tcp+no-delay+queue=65536".
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

/// The code that makes the system calls.
enum class Version : std::uint8_t { c, wrapper };

struct Channel {
  Medium medium = Medium::tcp;
  bool host_address = false;  ///< the host's own address instead of 127.0.0.1
  bool no_delay = false;
  bool non_blocking = false;   ///< tries first, and polls if it would have to wait
  std::size_t queue_size = 0;  ///< of socket buffers, the pipe or the ring, in octets; 0: default
  friend bool operator==(const Channel&, const Channel&) = default;
};

/// Throws std::runtime_error for an unknown medium or option, and for an option that the medium
/// does not have. The text lists the valid ones.
Channel parse_channel(std::string_view text);
std::string to_text(const Channel& channel);

/// The wrapper of shared memory is the transport of `shmiop`, whose rings have a fixed size.
bool has_wrapper(const Channel& channel);

/// All media, and variants of sockets: the default channels.
std::vector<std::string> default_channels();

}  // namespace perigee::bench
