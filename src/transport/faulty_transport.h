// A transport that injects faults into another transport.
#pragma once

#include <perigee/transport/faults.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace perigee::transport {

/// The faults of one direction, in order, and the number of octets that have passed. Used only by
/// the thread that transfers. Invariant: octets passed <= octet of the next fault.
class FaultLane {
 public:
  FaultLane(const FaultScript& script, FaultDirection direction);

  /// The fault that happens now; nullptr if there is none.
  [[nodiscard]] const Fault* due() const noexcept;
  /// Called when the fault that was due is over.
  void next() noexcept {
    ++next_;
    begun_ = false;
  }
  /// True at the first call for the fault that is due; marks the fault as begun.
  [[nodiscard]] bool begins() noexcept { return !std::exchange(begun_, true); }
  [[nodiscard]] bool splits() const noexcept {
    const Fault* const fault = due();
    return fault != nullptr && fault->kind == FaultKind::split;
  }
  /// Octets until the next fault.
  [[nodiscard]] std::size_t room() const noexcept;
  void pass(std::size_t count) noexcept { passed_ += count; }

 private:
  std::vector<Fault> faults_;
  std::size_t next_ = 0;
  std::uint64_t passed_ = 0;
  bool begun_ = false;
};

/// Forwards octets to `inner` up to the next fault, and then lets the fault happen.
class FaultyTransport final : public Transport {
 public:
  /// `plan` is shared by all transports of a protocol, because they may outlive the protocol.
  FaultyTransport(std::unique_ptr<Transport> inner, const FaultScript& script,
                  std::shared_ptr<const FaultPlan> plan, FaultyConnection connection);

  IoResult send(std::span<const OctetSpan> segments, Wait wait) override;
  IoResult receive(MutableOctetSpan space, Wait wait) override;
  IoResult set_receive_timeout(std::chrono::microseconds timeout) override;
  IoResult set_send_timeout(std::chrono::microseconds timeout) override;
  [[nodiscard]] messaging::Carrier carrier() const noexcept override { return inner_->carrier(); }
  IoResult open(Wait wait) override { return inner_->open(wait); }
  IoResult finish(Wait wait) override { return inner_->finish(wait); }
  [[nodiscard]] Wants wants(Step step) const noexcept override { return inner_->wants(step); }
  [[nodiscard]] bool has_output() const noexcept override { return inner_->has_output(); }
  void shutdown_send() noexcept override { inner_->shutdown_send(); }
  void interrupt() noexcept override;
  [[nodiscard]] bool buffered() const noexcept override {
    return cut_short_ || (inner_->features().buffers && inner_->buffered());
  }
  [[nodiscard]] int lifetime_fd() const noexcept override { return inner_->lifetime_fd(); }
  [[nodiscard]] bool holds_input() const noexcept override { return inner_->holds_input(); }
  bool begin_watch() noexcept override { return inner_->begin_watch(); }
  void end_watch() noexcept override { inner_->end_watch(); }
  void await_sendable(std::chrono::milliseconds limit) noexcept override {
    inner_->await_sendable(limit);
  }
  [[nodiscard]] int readiness_fd() const noexcept override { return inner_->readiness_fd(); }
  [[nodiscard]] const std::string& peer() const noexcept override { return inner_->peer(); }
  [[nodiscard]] std::optional<PeerIdentity> peer_identity() const noexcept override {
    return inner_->peer_identity();
  }
  [[nodiscard]] const PeerCertificate* peer_certificate() const noexcept override {
    return inner_->peer_certificate();
  }
  [[nodiscard]] Refusal refusal() const override { return inner_->refusal(); }

 private:
  static constexpr IoResult goes_on{};

  [[nodiscard]] IoResult before_transfer(FaultLane& lane, Wait wait);
  void after_transfer(FaultLane& lane);
  [[nodiscard]] IoResult happen(FaultLane& lane, const Fault& fault, Wait wait);
  [[nodiscard]] IoResult stall(FaultDirection direction, Wait wait);
  [[nodiscard]] IoResult end(FaultDirection direction) noexcept;
  [[nodiscard]] IoResult reset() noexcept;
  void delay(std::chrono::microseconds duration);
  [[nodiscard]] IoResult send_part(std::span<const OctetSpan> segments, std::size_t skip,
                                   Wait wait);

  const std::unique_ptr<Transport> inner_;
  const std::shared_ptr<const FaultPlan> plan_;
  const FaultyConnection connection_;
  FaultLane sent_;
  FaultLane received_;
  std::vector<OctetSpan> part_;  // the part of the segments up to the next fault
  bool output_ended_ = false;
  bool input_ended_ = false;
  bool cut_short_ = false;  // the last receive could have brought more
  std::atomic<bool> reset_{false};
  std::atomic<std::chrono::microseconds> receive_timeout_{std::chrono::microseconds(0)};
  std::atomic<std::chrono::microseconds> send_timeout_{std::chrono::microseconds(0)};

  std::mutex mutex_;
  std::condition_variable wakes_;
  bool interrupted_ = false;
};

}  // namespace perigee::transport
