// The client for systems that listen at `shmiop`: one thread with many connections through shared
// memory, by Perigee's transport.
#pragma once

#include "raw_giop.h"
#include <perigee/transport/transport.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace perigee::bench {

/// Whether the reference has an address of shared memory in its first profile.
bool is_shared_memory_reference(const std::string& reference);

/// Connections in a closed loop: each connection sends its next request when a reply has come. The
/// thread waits with epoll, as a server with a reactor does. Errors are thrown as
/// std::runtime_error.
class RingLoad {
 public:
  RingLoad(const std::string& reference, std::size_t count);

  void run(std::size_t calls);

 private:
  void send_next(transport::Transport& connection);
  std::size_t take_replies(transport::Transport& connection);

  std::unique_ptr<transport::ProtocolFactory> protocol_;
  std::string request_;
  std::uint32_t request_id_ = 0;
  std::size_t to_send_ = 0;
  int epoll_;
  std::vector<std::unique_ptr<transport::Transport>> connections_;
};

}  // namespace perigee::bench
