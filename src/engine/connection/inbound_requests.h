// The requests that a connection has admitted and not yet ended. Does no I/O.
#pragma once

#include "engine/connection/inbound_request.h"
#include "engine/loops/request_count.h"
#include "engine/loops/request_order.h"
#include <perigee/base/export.h>
#include <perigee/base/short_lock.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

namespace perigee::engine {

/// The decision about a request that was read.
enum class Admission : std::uint8_t {
  admitted,
  draining,         ///< CloseConnection tells the client that the request was not executed
  too_many,         ///< `requests_per_connection_max` are in progress here
  too_many_in_all,  ///< `requests_max` are in progress in the server
};

/// Any thread. Guarded by its own lock. Under the lock it calls other objects only to take a place
/// in the RequestShare, or to add a reference.
///
/// Invariant: admitted = left + count, and count = in upcalls + deferred. Count ≤ `count_max`, if
/// no request was parked. A request that was parked is always admitted again, because a separate
/// limit applies to parked requests. Under RequestOrder::connection, at most one request is in
/// progress or parked, because the connection reads no further request while the table is full.
class InboundRequests {
 public:
  /// The changes when a request has left the table.
  struct Left {
    bool last = false;  ///< the connection drains, and CloseConnection is due now; true only once
    bool has_room = false;  ///< the table was full, and requests may be read again
  };

  InboundRequests(std::uint32_t count_max, RequestShare& all,
                  RequestOrder order = RequestOrder::none) noexcept
      : count_max_(count_max), order_(order), all_(all), full_at_(ordinary_full_at()) {}
  ~InboundRequests() = default;
  InboundRequests(const InboundRequests&) = delete;
  InboundRequests& operator=(const InboundRequests&) = delete;

  enum class Origin : bool { transport, parked };

  [[nodiscard]] Admission admit(InboundRequest& request,
                                Origin origin = Origin::transport) noexcept;
  /// The request is over. It must have been admitted, and not deferred since.
  [[nodiscard]] Left leave(InboundRequest& request) noexcept;
  /// `later` takes the place of a request in its upcall, on the thread of the upcall.
  PERIGEE_INTERNAL_API void defer(InboundRequest& upcall, DeferredRequest& later) noexcept;

  /// Called when the client has cancelled the latest request with this id.
  void cancel(std::uint32_t id) noexcept;
  /// Stops all deferred requests, and each request that is deferred from now on.
  void stop_deferred() noexcept;
  /// Stops one deferred request; its reply is sent if it still comes.
  PERIGEE_INTERNAL_API void stop(DeferredRequest& request) noexcept;

  /// Admits nothing from now on. True if CloseConnection is due now: nothing is in progress.
  [[nodiscard]] bool begin_drain() noexcept;
  /// The same, unless a request is in progress or parked, or the connection drains already.
  [[nodiscard]] bool drain_if_idle() noexcept;
  /// Whether CloseConnection has become due. Nothing may be sent after it.
  [[nodiscard]] bool drained() const noexcept;
  [[nodiscard]] bool busy() const noexcept;

  /// Whether the connection must not read further requests: as many requests as allowed are in
  /// progress, and at least one of them is deferred. (If all are in upcalls, further requests are
  /// read and refused.) Under RequestOrder::connection, one request is enough, and a parked request
  /// counts.
  [[nodiscard]] bool full() const noexcept { return full_.load(std::memory_order_acquire); }
  [[nodiscard]] RequestOrder order() const noexcept { return order_; }

  /// @name Requests that wait at a hold point. They are not in the table.
  /// @{
  void begin_parked() noexcept {
    parked_.fetch_add(1, std::memory_order_relaxed);
    if (order_ == RequestOrder::connection) fill();
  }
  /// True: the table was full because of the request, and requests may be read again.
  [[nodiscard]] bool end_parked() noexcept {
    parked_.fetch_sub(1, std::memory_order_release);
    return order_ == RequestOrder::connection && make_room();
  }
  /// False also means that the effects of all requests that were parked before are visible.
  [[nodiscard]] bool parks() const noexcept { return parked_.load(std::memory_order_acquire) != 0; }
  /// @}

  /// For tests: asserts the invariant of the class.
  void check_invariants() const noexcept;

 private:
  static constexpr std::uint32_t never_full = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] std::uint32_t ordinary_full_at() const noexcept {
    return order_ == RequestOrder::connection ? 1 : never_full;
  }
  [[nodiscard]] bool is_full() const noexcept {
    return count_ >= full_at_ || (order_ == RequestOrder::connection && parks());
  }
  void fill() noexcept;
  [[nodiscard]] bool make_room() noexcept;
  void unlink(InboundRequest& request) noexcept;
  [[nodiscard]] bool mark_to_stop(DeferredRequest& request) noexcept;
  static void stop_all(DeferredRequest* first) noexcept;

  const std::uint32_t count_max_;
  const RequestOrder order_;
  RequestShare& all_;
  std::atomic<std::uint32_t> parked_{0};
  std::atomic<bool> full_{false};  // written under the lock

  mutable ShortLock lock_;  // guards the members below, and the links of the requests
  InboundRequest* first_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t deferred_count_ = 0;  // part of `count_`
  std::uint32_t full_at_;             // the table is full if it has this many requests
  std::uint64_t admitted_count_ = 0;
  std::uint64_t left_count_ = 0;
  bool stops_deferred_ = false;
  bool draining_ = false;
  bool drained_ = false;
};

[[gnu::always_inline]] inline Admission InboundRequests::admit(InboundRequest& request,
                                                               Origin origin) noexcept {
  const std::lock_guard guard(lock_);
  if (draining_) return Admission::draining;
  if (count_ >= count_max_ && origin == Origin::transport) return Admission::too_many;
  if (!all_.begin()) return Admission::too_many_in_all;
  ++count_;
  ++admitted_count_;
  request.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &request;
  first_ = &request;
  if (count_ >= full_at_) [[unlikely]]
    full_.store(true, std::memory_order_release);
  return Admission::admitted;
}

[[gnu::always_inline]] inline InboundRequests::Left InboundRequests::leave(
    InboundRequest& request) noexcept {
  all_.end();
  const std::lock_guard guard(lock_);
  unlink(request);
  --count_;
  ++left_count_;
  if (request.deferred_ != nullptr && --deferred_count_ == 0) full_at_ = ordinary_full_at();
  Left left;
  if (full_.load(std::memory_order_relaxed) && !is_full()) [[unlikely]] {
    full_.store(false, std::memory_order_release);
    left.has_room = true;
  }
  left.last = draining_ && count_ == 0 && !drained_;
  if (left.last) drained_ = true;
  return left;
}

[[gnu::always_inline]] inline void InboundRequests::unlink(InboundRequest& request) noexcept {
  (request.previous_ != nullptr ? request.previous_->next_ : first_) = request.next_;
  if (request.next_ != nullptr) request.next_->previous_ = request.previous_;
}

}  // namespace perigee::engine
