// A connection of the protocol `board`: a TCP stream that fulfils the contract of
// perigee::transport::Transport.
#pragma once

#include <perigee/ipc/sock.h>
#include <perigee/transport/transport.h>

#include <chrono>
#include <span>
#include <string>

namespace board {

class BoardTransport final : public perigee::transport::Transport {
 public:
  BoardTransport(perigee::ipc::sock::Stream stream, std::string peer)
      : stream_(std::move(stream)), peer_(std::move(peer)) {}

  perigee::IoResult send(std::span<const perigee::OctetSpan> segments,
                         perigee::transport::Wait wait) override;
  perigee::IoResult receive(perigee::MutableOctetSpan space,
                            perigee::transport::Wait wait) override;
  perigee::IoResult set_receive_timeout(std::chrono::microseconds timeout) override;
  perigee::IoResult set_send_timeout(std::chrono::microseconds timeout) override;
  void shutdown_send() noexcept override { stream_.close_sender(); }
  void interrupt() noexcept override { stream_.interrupt(); }
  [[nodiscard]] int readiness_fd() const noexcept override { return stream_.handle(); }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

 private:
  perigee::ipc::sock::Stream stream_;
  const std::string peer_;
  // The receiving thread uses the first limit, the sending thread the second.
  perigee::ipc::TimeLimit receive_limit_;
  perigee::ipc::TimeLimit send_limit_;
};

}  // namespace board
