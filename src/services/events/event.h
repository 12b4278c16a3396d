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

/// Counted for each event beside its octets: about the memory of the event without its value.
constexpr std::size_t octets_per_event = 256;

/// Shared by the queues of all consumers. Its octets count as long as one queue has the event.
class Event {
 public:
  Event(CORBA::Any data, std::size_t octets, OctetCount waiting)
      : data_(std::move(data)), octets_(octets), waiting_(std::move(waiting)) {
    waiting_->fetch_add(octets_ + octets_per_event, std::memory_order_relaxed);
  }
  ~Event() { waiting_->fetch_sub(octets_ + octets_per_event, std::memory_order_relaxed); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  [[nodiscard]] const CORBA::Any& data() const noexcept { return data_; }
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }

 private:
  const CORBA::Any data_;
  const std::size_t octets_;
  const OctetCount waiting_;
};
using EventRef = std::shared_ptr<const Event>;

/// The size of the value in CDR, with its TypeCode. Raises BAD_PARAM for a value that cannot be
/// sent.
[[nodiscard]] std::size_t octets_of(const CORBA::Any& data);

}  // namespace perigee::events
