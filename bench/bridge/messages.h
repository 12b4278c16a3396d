// Whole messages of GIOP on blocking sockets, as a C program reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace perigee::bench {

inline constexpr std::size_t giop_header_size = 12;
/// Messages up to this size arrive with one system call, as a rule.
inline constexpr std::size_t small_message_max = 64u << 10;
/// Large messages are in flight on at most this number of connections.
inline constexpr std::size_t large_in_flight_max = 16;

/// The buffer of one thread. It grows to the largest message, and keeps this size.
class MessageBuffer {
 public:
  /// Reads one message, and blocks until it is complete. The peer must not send a second message
  /// before it gets an answer. False at the end of the stream.
  [[nodiscard]] bool receive(int fd);

  [[nodiscard]] const char* data() const noexcept { return octets_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] unsigned type() const noexcept { return static_cast<unsigned char>(octets_[7]); }
  [[nodiscard]] bool has_more_fragments() const noexcept { return (octets_[6] & 2) != 0; }
  /// The request id at its place in GIOP 1.2. Fragments of 1.2 have the id at this place, too.
  [[nodiscard]] std::uint32_t request_id() const noexcept;

 private:
  std::string octets_ = std::string(small_message_max, '\0');
  std::size_t size_ = 0;
};

/// The size of the message that begins with this header.
std::size_t message_size(const char* header) noexcept;
/// Sends all octets. False if the peer has closed.
[[nodiscard]] bool send_all(int fd, const char* octets, std::size_t count);

}  // namespace perigee::bench
