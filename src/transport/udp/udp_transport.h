// The client's end of a connection over UDP: a socket that is connected to its peer. Private to
// transport/udp.
#pragma once

#include <perigee/ipc/sock.h>
#include <perigee/messaging/carrier.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <chrono>
#include <span>
#include <string>

namespace perigee::transport {

/// A datagram counts as lost if the system does not take it now, or learns that no socket receives
/// it. So an absent server looks like a network that loses every datagram: the time limit of the
/// call decides.
class UdpTransport final : public Transport {
 public:
  UdpTransport(ipc::sock::CoDgram socket, const ipc::InetAddr& peer);

  [[nodiscard]] messaging::Carrier carrier() const noexcept override { return carrier_; }
  IoResult send(std::span<const OctetSpan> segments, Wait wait) override;
  IoResult receive(MutableOctetSpan space, Wait wait) override;
  IoResult set_receive_timeout(std::chrono::microseconds timeout) override;
  IoResult set_send_timeout(std::chrono::microseconds timeout) override;
  void shutdown_send() noexcept override {}
  void interrupt() noexcept override;
  [[nodiscard]] int readiness_fd() const noexcept override { return socket_.handle(); }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

 private:
  ipc::sock::CoDgram socket_;
  const messaging::Carrier carrier_;
  const std::string peer_;
  std::atomic<bool> interrupted_{false};
  std::chrono::microseconds receive_timeout_{0};
  std::chrono::microseconds send_timeout_{0};
};

}  // namespace perigee::transport
