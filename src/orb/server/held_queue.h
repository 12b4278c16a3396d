// Requests that wait until their POA manager lets them pass, for servers whose threads must not
// wait. Dispatches nothing itself: the thread strategies do.
#pragma once

#include <perigee/messaging/message.h>
#include <perigee/orb/server_request.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

namespace perigee::orb {

class Conversation;

/// Who waits, and for what.
struct HeldPlace {
  std::shared_ptr<Conversation> conversation;
  const void* gate = nullptr;  ///< see RequestDispatcher::gate_of
  std::uint64_t number = 0;    ///< in the order of arrival, if it has been held before; else 0
};

struct HeldRequest {
  HeldPlace place;
  messaging::IncomingMessage message;
};

/// Any thread. Requests of one connection that wait at one gate leave it in the order of their
/// arrival, and those that come meanwhile wait behind them, whatever state the gate is in.
///
/// A request is due when `resume` was called after its POA manager was last found holding. It is
/// counted in its conversation while it is in the queue: until `done`.
class HeldQueue final {
 public:
  enum class Kept : std::uint8_t {
    yes,
    due,         ///< and is to be dispatched at once
    refused,     ///< as many are kept as may be
    not_needed,  ///< nobody is before it
  };

  explicit HeldQueue(std::size_t requests_max) noexcept : requests_max_(requests_max) {}

  /// How often `resume` was called. To be read before the POA manager's state is looked at.
  [[nodiscard]] std::uint64_t resumptions() const noexcept { return resumptions_.load(); }
  /// Keeps a message that the gate does not let pass. Takes it unless it is refused.
  [[nodiscard]] Kept keep(HeldPlace place, messaging::IncomingMessage& message,
                          std::uint64_t resumptions_seen);
  /// Keeps it behind those of its connection at its gate that came before.
  [[nodiscard]] Kept keep_behind(HeldPlace place, messaging::IncomingMessage& message);

  /// All that are kept now are due. False if there are none.
  bool resume();
  [[nodiscard]] bool any_due() const;
  /// The first that is due, to be dispatched. Others wait behind it until `done`.
  [[nodiscard]] std::optional<HeldRequest> take();
  /// It is over, unless it was kept again. Does nothing if it is known no more.
  void done(std::uint64_t number) noexcept;

  /// Those of a connection that has ended, and all: they are not executed.
  void drop(const Conversation& conversation) noexcept;
  void clear() noexcept;

 private:
  struct Entry {
    HeldPlace place;
    messaging::IncomingMessage message;
    std::size_t size = 0;
    std::uint64_t resumptions_seen = 0;
    bool taken = false;  // is being dispatched: the message is not here
  };
  using Entries = std::list<Entry>;

  [[nodiscard]] Kept insert(HeldPlace place, messaging::IncomingMessage& message,
                            std::uint64_t resumptions_seen);
  [[nodiscard]] Kept put_back(Entry& entry, messaging::IncomingMessage& message,
                              std::uint64_t resumptions_seen);
  [[nodiscard]] Entry* find(std::uint64_t number) noexcept;
  [[nodiscard]] bool is_due(const Entry& entry) const noexcept {
    return !entry.taken && entry.resumptions_seen != resumptions_.load();
  }
  static void forget(const Entries& dropped) noexcept;

  const std::size_t requests_max_;
  std::atomic<std::uint64_t> resumptions_{0};  // changes under the mutex

  mutable std::mutex mutex_;  // guards what follows
  Entries entries_;           // in the order of their numbers
  std::uint64_t last_number_ = 0;
};

[[nodiscard]] constexpr ServerRequest::Hold to_hold(HeldQueue::Kept kept) noexcept {
  switch (kept) {
    case HeldQueue::Kept::yes:
    case HeldQueue::Kept::due:
      return ServerRequest::Hold::taken;
    case HeldQueue::Kept::not_needed:
      return ServerRequest::Hold::wait;
    case HeldQueue::Kept::refused:
      break;
  }
  return ServerRequest::Hold::refused;
}

}  // namespace perigee::orb
