// The floor of calls through shared memory: a ping-pong over two rings of octets, without an ORB.
#pragma once

#include "raw.h"

#include <memory>
#include <string>

namespace perigee::bench {

/// Listens at the path of a UNIX-domain socket, where clients hand over their memory. Prints the
/// path, then serves each client on its own thread until it is killed.
int run_raw_ring_server(const std::string& path);

/// One connection with messages of fixed sizes. Each message contains a number that must come back.
class RawRingConnection {
 public:
  /// `path`: where the server listens.
  RawRingConnection(const std::string& path, MessageSizes sizes);
  ~RawRingConnection();
  RawRingConnection(const RawRingConnection&) = delete;
  RawRingConnection& operator=(const RawRingConnection&) = delete;

  bool call();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace perigee::bench
