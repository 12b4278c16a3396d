// A decorator of any stream transport.
#include "support/handshake_transport.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <utility>

namespace perigee::test {
namespace {

using transport::Features;
using transport::Step;
using transport::Transport;
using transport::Wait;
using transport::Wants;

constexpr std::byte handshake_octet{0x16};
constexpr std::byte ticket_octet{0x17};
constexpr std::size_t record_size = 16 * 1024;

/// Forwards everything that the transports below do not change.
class WrappedTransport : public Transport {
 public:
  WrappedTransport(const Features& features, std::unique_ptr<Transport> inner)
      : Transport(features), inner_(std::move(inner)) {}

  IoResult send(std::span<const OctetSpan> segments, Wait wait) override {
    return inner_->send(segments, wait);
  }
  IoResult receive(MutableOctetSpan space, Wait wait) override {
    return inner_->receive(space, wait);
  }
  [[nodiscard]] bool buffered() const noexcept override { return inner_->buffered(); }
  IoResult set_receive_timeout(std::chrono::microseconds timeout) override {
    return inner_->set_receive_timeout(timeout);
  }
  IoResult set_send_timeout(std::chrono::microseconds timeout) override {
    return inner_->set_send_timeout(timeout);
  }
  void shutdown_send() noexcept override { inner_->shutdown_send(); }
  void interrupt() noexcept override { inner_->interrupt(); }
  [[nodiscard]] int readiness_fd() const noexcept override { return inner_->readiness_fd(); }
  [[nodiscard]] const std::string& peer() const noexcept override { return inner_->peer(); }
  [[nodiscard]] std::optional<PeerIdentity> peer_identity() const noexcept override {
    return inner_->peer_identity();
  }

 protected:
  [[nodiscard]] Transport& inner() const noexcept { return *inner_; }

 private:
  const std::unique_ptr<Transport> inner_;
};

Features with_handshake(const Transport& inner) {
  Features features = inner.features();
  features.opens = true;
  features.finishes = true;
  features.buffers = true;
  features.owes_output = true;
  return features;
}

class HandshakeTransport final : public WrappedTransport {
 public:
  HandshakeTransport(const Features& features, std::unique_ptr<Transport> inner,
                     messaging::Role role)
      : WrappedTransport(features, std::move(inner)), sends_(role == messaging::Role::opener) {}

  IoResult open(Wait wait) override {
    while (octets_exchanged_ < 2 * handshake_round_trips) {
      const IoResult result = sends_ ? put(handshake_octet, wait) : take(handshake_octet, wait);
      if (!result.ok()) {
        opening_wants_ = sends_ ? Wants::to_write : Wants::to_read;
        return result;
      }
      sends_ = !sends_;
      ++octets_exchanged_;
    }
    opened_.store(true);
    return {};
  }
  IoResult finish(Wait wait) override {
    if (const IoResult result = send_ticket(wait); !result.ok()) return result;
    if (wait == Wait::no && !std::exchange(finish_begun_, true))
      return {0, IoStatus::would_block, 0};
    shutdown_send();
    return {};
  }
  [[nodiscard]] Wants wants(Step step) const noexcept override {
    if (step == Step::open) return opening_wants_;
    if (step == Step::receive && has_output()) return Wants::to_write;
    return Transport::wants(step);
  }
  [[nodiscard]] bool has_output() const noexcept override { return !ticket_sent_.load(); }

  IoResult send(std::span<const OctetSpan> segments, Wait wait) override {
    if (!opened_.load()) return {0, IoStatus::failed, ENOTCONN};
    if (const IoResult result = send_ticket(wait); !result.ok()) return result;
    if (segments.empty()) return {};
    return inner().send(segments, wait);
  }
  IoResult receive(MutableOctetSpan space, Wait wait) override {
    if (!opened_.load()) return {0, IoStatus::failed, ENOTCONN};
    (void)send_ticket(Wait::no);  // if the connection has failed, what follows reports it
    if (!ticket_received_) {
      if (const IoResult result = take(ticket_octet, wait); !result.ok()) return result;
      ticket_received_ = true;
    }
    if (record_.empty())
      if (const IoResult result = take_record(wait); !result.ok()) return result;
    const std::size_t count = std::min(space.size(), record_.size());
    std::ranges::copy(record_.first(count), space.begin());
    record_ = record_.subspan(count);
    return {count, IoStatus::ok, 0};
  }
  [[nodiscard]] bool buffered() const noexcept override {
    return !record_.empty() || inner().buffered();
  }

 private:
  IoResult take_record(Wait wait) {
    record_memory_.resize(record_size);
    const IoResult result = inner().receive(record_memory_, wait);
    if (result.ok()) record_ = OctetSpan(record_memory_).first(result.count);
    return result;
  }
  IoResult put(std::byte octet, Wait wait) {
    const OctetSpan span(&octet, 1);
    return inner().send({&span, 1}, wait);
  }
  IoResult take(std::byte expected, Wait wait) {
    std::byte octet{};
    const IoResult result = inner().receive({&octet, 1}, wait);
    if (result.ok() && octet != expected) return {0, IoStatus::failed, EPROTO};
    return result;
  }
  // Sender and receiver may both get here.
  IoResult send_ticket(Wait wait) {
    if (ticket_sent_.load()) return {};
    const std::lock_guard lock(mutex_);
    if (ticket_sent_.load()) return {};
    const IoResult result = put(ticket_octet, wait);
    if (result.ok()) ticket_sent_.store(true);
    return result;
  }

  bool sends_;  // the next octet of the handshake
  unsigned octets_exchanged_ = 0;
  Wants opening_wants_ = Wants::to_read;
  std::atomic<bool> opened_{false};
  bool finish_begun_ = false;  // used by the sending thread

  // Used by the receiving thread.
  bool ticket_received_ = false;
  Octets record_memory_;
  OctetSpan record_;  // received ahead

  std::mutex mutex_;
  std::atomic<bool> ticket_sent_{false};
};

}  // namespace

std::unique_ptr<Transport> add_handshake(std::unique_ptr<Transport> inner, messaging::Role role) {
  const Features features = with_handshake(*inner);
  return std::make_unique<HandshakeTransport>(features, std::move(inner), role);
}

}  // namespace perigee::test
