// Requests that wait at a hold point until it opens. A hold point is, for example, a POA manager in
// the holding state. The queue does not dispatch requests itself.
#pragma once

#include <perigee/base/export.h>
#include <perigee/messaging/message.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

namespace perigee::engine {

/// The interface of a connection that the queue uses.
class HoldOwner {
 public:
  virtual void add_reference() noexcept = 0;
  virtual void drop_reference() noexcept = 0;
  /// Counts one more parked request of the connection. False: too many octets are parked.
  [[nodiscard]] virtual bool begin_parked(std::size_t octets) noexcept = 0;
  virtual void end_parked(std::size_t octets) noexcept = 0;

 protected:
  ~HoldOwner() = default;
};

/// A counted reference. Used by one thread at a time.
class HoldOwnerRef {
 public:
  HoldOwnerRef() noexcept = default;
  explicit HoldOwnerRef(HoldOwner& owner) noexcept : owner_(&owner) { owner.add_reference(); }
  HoldOwnerRef(HoldOwnerRef&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)) {}
  HoldOwnerRef& operator=(HoldOwnerRef&& other) noexcept {
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~HoldOwnerRef() {
    if (owner_ != nullptr) owner_->drop_reference();
  }
  [[nodiscard]] HoldOwner& operator*() const noexcept { return *owner_; }
  [[nodiscard]] HoldOwner* get() const noexcept { return owner_; }

 private:
  HoldOwner* owner_ = nullptr;
};

/// Any thread. Requests of one connection leave a hold point in the order of their arrival.
/// Requests that come meanwhile wait behind them, whatever state the hold point is in.
///
/// A request is due when `resume` was called after its hold point was last found closed. It counts
/// as parked in its connection until `done`.
class HoldQueue final {
 public:
  struct Place {
    HoldOwner& owner;
    const void* hold_point = nullptr;
    std::uint64_t number = 0;  ///< of a request that was parked before; 0: it gets the next number
  };
  struct Taken {
    HoldOwnerRef owner;
    std::uint64_t number = 0;
    messaging::IncomingMessage message;
  };
  enum class Kept : std::uint8_t {
    yes,
    due,         ///< kept, and to be dispatched at once
    refused,     ///< as many as allowed are kept, or there is no memory
    not_needed,  ///< no earlier request of the connection waits at the hold point
  };

  explicit HoldQueue(std::size_t requests_max) noexcept : requests_max_(requests_max) {}

  /// How often `resume` was called. Read it before the state of a hold point.
  [[nodiscard]] std::uint64_t resumptions() const noexcept { return resumptions_.load(); }
  /// Keeps a message that its hold point does not let pass. Takes it unless it is refused.
  [[nodiscard]] Kept keep(const Place& place, messaging::IncomingMessage& message,
                          std::uint64_t resumptions_seen) noexcept;
  /// Keeps the message after the earlier messages of its connection at its hold point.
  [[nodiscard]] Kept keep_behind(const Place& place, messaging::IncomingMessage& message) noexcept;

  /// From now on, all requests that are kept now are due. False if none are kept.
  bool resume() noexcept;
  [[nodiscard]] bool any_due() const noexcept;
  /// The first request that is due, to be dispatched. Later ones wait behind it until `done`.
  [[nodiscard]] std::optional<Taken> take() noexcept;
  /// Ends the dispatch of a request, unless the request was kept again. Ignores unknown numbers.
  void done(std::uint64_t number) noexcept;

  /// Drops the requests of one connection, or all of them: they are not executed.
  void drop(const HoldOwner& owner) noexcept;
  PERIGEE_INTERNAL_API void clear() noexcept;

 private:
  struct Entry {
    HoldOwnerRef owner;
    const void* hold_point = nullptr;
    std::uint64_t number = 0;
    messaging::IncomingMessage message;
    std::size_t size = 0;
    std::uint64_t resumptions_seen = 0;
    bool taken = false;  // it is being dispatched: the message is not here
  };
  using Entries = std::list<Entry>;

  [[nodiscard]] Kept keep_locked(const Place& place, messaging::IncomingMessage& message,
                                 std::uint64_t resumptions_seen) noexcept;
  [[nodiscard]] Kept insert(const Place& place, messaging::IncomingMessage& message,
                            std::uint64_t resumptions_seen);
  [[nodiscard]] Kept put_back(Entry& entry, messaging::IncomingMessage& message,
                              std::uint64_t resumptions_seen);
  [[nodiscard]] Entry* find(std::uint64_t number) noexcept;
  [[nodiscard]] bool is_due(const Entry& entry) const noexcept {
    return !entry.taken && entry.resumptions_seen != resumptions_.load();
  }
  static void end(const Entries& dropped) noexcept;

  const std::size_t requests_max_;
  std::atomic<std::uint64_t> resumptions_{0};  // changes under the mutex

  mutable std::mutex mutex_;  // guards the members below
  Entries entries_;           // in the order of their numbers
  std::uint64_t last_number_ = 0;
};

}  // namespace perigee::engine
