// A TCP connection as a transport. Private to transport/tcp.
#pragma once

#include <perigee/ipc/sock.h>
#include <perigee/transport/transport.h>

#include <chrono>
#include <string>

namespace perigee::transport {

/// One system call a transfer where nothing has to be repeated. One sender and one receiver may
/// work at the same time: each touches only its own time-out.
class TcpTransport final : public Transport {
 public:
  TcpTransport(ipc::sock::Stream stream, std::string peer) noexcept
      : stream_(std::move(stream)), peer_(std::move(peer)) {}

  IoResult send(std::span<const OctetSpan> segments, Wait wait) override;
  IoResult receive(MutableOctetSpan space, Wait wait) override;
  IoResult set_receive_timeout(std::chrono::microseconds timeout) override;
  IoResult set_send_timeout(std::chrono::microseconds timeout) override;
  void shutdown_send() noexcept override { stream_.close_sender(); }
  void interrupt() noexcept override { stream_.interrupt(); }
  [[nodiscard]] int readiness_fd() const noexcept override { return stream_.handle(); }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

 private:
  ipc::sock::Stream stream_;
  std::string peer_;
  std::chrono::microseconds receive_timeout_{0};
  std::chrono::microseconds send_timeout_{0};
};

}  // namespace perigee::transport
