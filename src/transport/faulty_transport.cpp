// Transfers octets up to the next fault, and lets the fault happen.
#include "transport/faulty_transport.h"

#include "event/abort_connection.h"
#include <perigee/base/segments.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace perigee::transport {

FaultLane::FaultLane(const FaultScript& script, FaultDirection direction) {
  for (const Fault& fault : script) {
    if (fault.direction != direction) continue;
    faults_.insert(std::ranges::upper_bound(faults_, fault.octet, {}, &Fault::octet), fault);
  }
}

const Fault* FaultLane::due() const noexcept {
  return next_ < faults_.size() && faults_[next_].octet <= passed_ ? &faults_[next_] : nullptr;
}

std::size_t FaultLane::room() const noexcept {
  if (next_ == faults_.size()) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(faults_[next_].octet - passed_);
}

namespace {

/// Faults happen only to octets that pass `send` and `receive`, so other ways of transfer are not
/// offered.
Features decorated_features(const Transport& inner) noexcept {
  Features features = inner.features();
  features.buffers = true;
  features.encodes_in_place = false;
  features.scatters = false;
  return features;
}

}  // namespace

FaultyTransport::FaultyTransport(std::unique_ptr<Transport> inner, const FaultScript& script,
                                 std::shared_ptr<const FaultPlan> plan, FaultyConnection connection)
    : Transport(decorated_features(*inner)),
      inner_(std::move(inner)),
      plan_(std::move(plan)),
      connection_(std::move(connection)),
      sent_(script, FaultDirection::sent),
      received_(script, FaultDirection::received) {}

namespace {

/// The result of a send that ended with `result` after `total` octets. A short send that has not
/// failed is `ok`.
IoResult ended_after(std::size_t total, const IoResult& result) noexcept {
  const bool is_short = total != 0 && result.status != IoStatus::failed;
  return {total, is_short ? IoStatus::ok : result.status, result.code};
}

}  // namespace

IoResult FaultyTransport::send(std::span<const OctetSpan> segments, Wait wait) {
  const std::size_t size = total_size(segments);
  std::size_t total = 0;
  for (;;) {
    if (const IoResult result = before_transfer(sent_, wait); !result.ok())
      return ended_after(total, result);
    const std::size_t asked = std::min(size - total, sent_.room());
    const IoResult result = send_part(segments, total, wait);
    total += result.count;
    sent_.pass(result.count);
    const bool split = wait == Wait::no && sent_.splits();
    after_transfer(sent_);
    if (!result.ok() || result.count < asked || total == size || split)
      return ended_after(total, result);
  }
}

// Sends the rest of the segments, up to the next fault.
IoResult FaultyTransport::send_part(std::span<const OctetSpan> segments, std::size_t skip,
                                    Wait wait) {
  part_.clear();
  std::size_t room = sent_.room();
  for (OctetSpan segment : segments) {
    const std::size_t skipped = std::min(skip, segment.size());
    skip -= skipped;
    segment = segment.subspan(skipped, std::min(room, segment.size() - skipped));
    room -= segment.size();
    if (!segment.empty()) part_.push_back(segment);
  }
  return inner_->send(part_, wait);
}

IoResult FaultyTransport::receive(MutableOctetSpan space, Wait wait) {
  cut_short_ = false;
  if (const IoResult result = before_transfer(received_, wait); !result.ok()) return result;
  const MutableOctetSpan part = space.first(std::min(space.size(), received_.room()));
  const IoResult result = inner_->receive(part, wait);
  // A sending thread may have reset the connection meanwhile.
  if (reset_.load()) return {0, IoStatus::failed, ECONNRESET};
  if (!result.ok()) return result;
  received_.pass(result.count);
  cut_short_ = result.count == part.size() && part.size() < space.size();
  after_transfer(received_);
  return result;
}

// Lets all due faults happen, until a fault ends the transfer. After a fault has ended a direction,
// all transfers in this direction end in the same way.
IoResult FaultyTransport::before_transfer(FaultLane& lane, Wait wait) {
  if (reset_.load()) return {0, IoStatus::failed, ECONNRESET};
  if (&lane == &sent_ && output_ended_) return {0, IoStatus::failed, EPIPE};
  if (&lane == &received_ && input_ended_) return {0, IoStatus::end_of_stream, 0};
  while (const Fault* const fault = lane.due())
    if (const IoResult result = happen(lane, *fault, wait); !result.ok()) return result;
  return goes_on;
}

// A fault that ends the connection happens directly after its octet, not at the next transfer.
void FaultyTransport::after_transfer(FaultLane& lane) {
  while (const Fault* const fault = lane.due()) {
    const bool ends = fault->kind == FaultKind::reset || fault->kind == FaultKind::end_of_stream;
    if (fault->kind != FaultKind::split && !ends) return;
    if (!happen(lane, *fault, Wait::no).ok()) return;
  }
}

IoResult FaultyTransport::happen(FaultLane& lane, const Fault& fault, Wait wait) {
  if (lane.begins() && plan_->happened) plan_->happened(connection_, fault);
  switch (fault.kind) {
    case FaultKind::split:
      lane.next();
      break;
    case FaultKind::delay:
      delay(fault.duration);
      lane.next();
      break;
    case FaultKind::stall:
      return stall(fault.direction, wait);
    case FaultKind::end_of_stream:
      return end(fault.direction);
    case FaultKind::reset:
      return reset();
  }
  return goes_on;
}

// The stall never ends: the fault stays due.
IoResult FaultyTransport::stall(FaultDirection direction, Wait wait) {
  if (wait == Wait::no) return {0, IoStatus::would_block, 0};
  const bool sends = direction == FaultDirection::sent;
  const auto timeout = (sends ? send_timeout_ : receive_timeout_).load();
  const auto over = [this] { return interrupted_ || reset_.load(); };
  std::unique_lock lock(mutex_);
  if (timeout.count() == 0)
    wakes_.wait(lock, over);
  else if (!wakes_.wait_for(lock, timeout, over))
    return {0, IoStatus::timed_out, 0};
  if (reset_.load()) return {0, IoStatus::failed, ECONNRESET};
  if (sends) return {0, IoStatus::failed, EPIPE};
  return {0, IoStatus::end_of_stream, 0};
}

IoResult FaultyTransport::end(FaultDirection direction) noexcept {
  if (direction == FaultDirection::received) {
    input_ended_ = true;
    return {0, IoStatus::end_of_stream, 0};
  }
  output_ended_ = true;
  inner_->shutdown_send();
  return {0, IoStatus::failed, EPIPE};
}

IoResult FaultyTransport::reset() noexcept {
  {
    const std::lock_guard lock(mutex_);
    reset_.store(true);
  }
  wakes_.notify_all();
  event::abort_connection(inner_->readiness_fd());
  inner_->interrupt();
  return {0, IoStatus::failed, ECONNRESET};
}

void FaultyTransport::delay(std::chrono::microseconds duration) {
  if (plan_->wait) return plan_->wait(duration);
  std::unique_lock lock(mutex_);
  wakes_.wait_for(lock, duration, [this] { return interrupted_ || reset_.load(); });
}

void FaultyTransport::interrupt() noexcept {
  {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
  }
  wakes_.notify_all();
  inner_->interrupt();
}

IoResult FaultyTransport::set_receive_timeout(std::chrono::microseconds timeout) {
  receive_timeout_.store(timeout);
  return inner_->set_receive_timeout(timeout);
}

IoResult FaultyTransport::set_send_timeout(std::chrono::microseconds timeout) {
  send_timeout_.store(timeout);
  return inner_->set_send_timeout(timeout);
}

}  // namespace perigee::transport
