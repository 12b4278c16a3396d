// An event on its way through a channel.
#pragma once

#include <perigee/orb/any.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace perigee::events {

/// Octets of the events that wait in a service. Any thread.
using OctetCount = std::shared_ptr<std::atomic<std::size_t>>;

/// The octets that wait in a channel, which also count for its service. Any thread.
class WaitingOctets {
 public:
  explicit WaitingOctets(OctetCount of_service) : of_service_(std::move(of_service)) {}
  WaitingOctets(const WaitingOctets&) = delete;
  WaitingOctets& operator=(const WaitingOctets&) = delete;

  void add(std::size_t octets) noexcept {
    of_channel_.fetch_add(octets, std::memory_order_relaxed);
    of_service_->fetch_add(octets, std::memory_order_relaxed);
  }
  void remove(std::size_t octets) noexcept {
    of_channel_.fetch_sub(octets, std::memory_order_relaxed);
    of_service_->fetch_sub(octets, std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t of_channel() const noexcept {
    return of_channel_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t of_service() const noexcept {
    return of_service_->load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::size_t> of_channel_ = 0;
  const OctetCount of_service_;
};
/// Shared by the channel and its events.
using WaitingOctetsRef = std::shared_ptr<WaitingOctets>;

/// Each event counts as this many octets more: roughly the memory of the event without its value.
constexpr std::size_t octets_per_event = 256;

/// Shared by the queues of all consumers. Its octets count as long as one queue has the event.
class Event {
 public:
  Event(CORBA::Any data, std::size_t octets, WaitingOctetsRef waiting)
      : data_(std::move(data)), octets_(octets), waiting_(std::move(waiting)) {
    waiting_->add(octets_ + octets_per_event);
  }
  ~Event() { waiting_->remove(octets_ + octets_per_event); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  [[nodiscard]] const CORBA::Any& data() const noexcept { return data_; }
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }

 private:
  const CORBA::Any data_;
  const std::size_t octets_;
  const WaitingOctetsRef waiting_;
};
using EventRef = std::shared_ptr<const Event>;

/// The size of the value in CDR, with its TypeCode. Raises BAD_PARAM for a value that cannot be
/// sent.
[[nodiscard]] std::size_t octets_of(const CORBA::Any& data);

}  // namespace perigee::events
