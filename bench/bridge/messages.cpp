// Receives and sends messages with recv and send.
#include "messages.h"

#include <sys/socket.h>

#include <cstring>

namespace perigee::bench {

std::size_t message_size(const char* header) noexcept {
  std::uint32_t size = 0;
  std::memcpy(&size, header + 8, sizeof size);
  return giop_header_size + size;
}

std::uint32_t MessageBuffer::request_id() const noexcept {
  std::uint32_t id = 0;
  std::memcpy(&id, octets_.data() + giop_header_size, sizeof id);
  return id;
}

// The first recv usually reads the whole of a small message.
bool MessageBuffer::receive(int fd) {
  size_ = 0;
  std::size_t wanted = giop_header_size;
  while (size_ < wanted) {
    const std::size_t space = wanted == giop_header_size ? small_message_max : wanted;
    const ssize_t count = recv(fd, octets_.data() + size_, space - size_, 0);
    if (count <= 0) return false;
    size_ += static_cast<std::size_t>(count);
    if (wanted == giop_header_size && size_ >= giop_header_size) {
      wanted = message_size(octets_.data());
      if (octets_.size() < wanted) octets_.resize(wanted);
    }
  }
  return size_ == wanted && size_ >= giop_header_size + 4;
}

bool send_all(int fd, const char* octets, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = send(fd, octets, count, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    octets += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace perigee::bench
