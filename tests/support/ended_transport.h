// A transport at its end.
#pragma once

#include <perigee/transport/transport.h>

#include <chrono>
#include <span>
#include <string>
#include <utility>

namespace perigee::test {

/// A transport whose peer has closed.
class EndedTransport final : public transport::Transport {
 public:
  explicit EndedTransport(std::string peer = {}) : peer_(std::move(peer)) {}

  IoResult receive(MutableOctetSpan /*space*/, transport::Wait /*wait*/) override { return ended; }
  IoResult send(std::span<const OctetSpan> /*segments*/, transport::Wait /*wait*/) override {
    return ended;
  }
  IoResult set_receive_timeout(std::chrono::microseconds /*timeout*/) override { return {}; }
  IoResult set_send_timeout(std::chrono::microseconds /*timeout*/) override { return {}; }
  void shutdown_send() noexcept override {}
  void interrupt() noexcept override {}
  [[nodiscard]] int readiness_fd() const noexcept override { return -1; }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

 private:
  static constexpr IoResult ended{0, IoStatus::end_of_stream, 0};
  std::string peer_;
};

}  // namespace perigee::test
