// The calls of `push` in progress to one consumer.
#pragma once

#include "services/events/event.h"
#include <perigee/async/call.h>
#include <perigee/async/task.h>

#include <CosEventCommAsync.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::events {

using PushConsumerRef = CORBA::object_reference<CosEventComm::PushConsumer>;

/// How a call of `push` has ended.
enum class PushStep : std::uint8_t {
  delivered,
  lost,   ///< failed, but the consumer may have the event
  again,  ///< failed, and the consumer certainly does not have the event
  gone,   ///< the consumer does not want events, or does not exist
};

/// Of the exception that is being handled. `reason` gets its text.
[[nodiscard]] PushStep step_of_failure(std::string& reason);
/// Calls the consumer. `reason` gets the cause of a failure.
task<PushStep> push_once(const PushConsumerRef& consumer, const EventRef& event,
                         std::string& reason);

/// Several calls at a time, which end in their order. One task uses it. The destructor cancels
/// calls in progress. All calls begin on one thread, because each thread may have a connection of
/// its own to the consumer.
class PushWindow {
 public:
  explicit PushWindow(PushConsumerRef consumer) : consumer_(std::move(consumer)) {}
  PushWindow(const PushWindow&) = delete;
  PushWindow& operator=(const PushWindow&) = delete;

  [[nodiscard]] bool is_empty() const noexcept { return pushes_.empty(); }
  /// Whether a further call may begin, with at most `pushes_max` in progress. An empty window has
  /// room for any event. After a call that has failed at once, for example because too many octets
  /// wait for the connection, no call begins: so the channel can send the event of the failed call
  /// again.
  [[nodiscard]] bool has_room(const Event& next, std::size_t pushes_max) const noexcept;
  /// Begins a call on this thread. If it cannot begin, `end_of_oldest` returns the failure.
  void start(EventRef event);
  /// Whether the oldest call has failed at once, and other calls were in progress then. This is no
  /// sign that the consumer does not work.
  [[nodiscard]] bool oldest_was_refused() const noexcept { return pushes_.front().was_refused; }
  /// Waits for the oldest call. If it has failed, the event stays in the window for `drain`.
  task<PushStep> end_of_oldest(std::string& reason);

  /// What a failed window leaves.
  struct Rest {
    std::size_t delivered = 0;
    std::size_t lost = 0;
    bool is_gone = false;
    bool ends_well = false;       ///< the last call has delivered its event
    std::vector<EventRef> again;  ///< may be sent again, in this order
  };
  /// After `end_of_oldest` with the result `failed`: waits for the other calls. An event can be
  /// sent again only if the consumer can have no later event.
  task<Rest> drain(PushStep failed, std::string& reason);

 private:
  struct Push {
    EventRef event;
    std::optional<call<void>> in_progress;
    PushStep failure = PushStep::again;  // if the call could not begin
    std::string reason;                  // likewise
    bool was_refused = false;
  };

  [[nodiscard]] static bool is_over(const Push& push) noexcept;
  static task<PushStep> end_of(const Push& push, std::string& reason);
  /// Removes the oldest push.
  EventRef take_oldest();

  const PushConsumerRef consumer_;
  std::deque<Push> pushes_;
  std::size_t octets_ = 0;  // of the events in pushes_, with octets_per_event for each
  std::thread::id thread_;  // of the calls in pushes_
};

}  // namespace perigee::events
