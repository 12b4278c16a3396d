// The calls of `push` in progress to one consumer.
#pragma once

#include "services/events/event.h"
#include <perigee/async/call.h>
#include <perigee/async/task.h>

#include <CosEventCommAsync.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
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

/// Awaits the call. `reason` gets the cause of a failure.
task<PushStep> end_of_push(const call<void>& push, std::string& reason);

/// Several calls at a time, which end in their order. One task uses it. The destructor cancels
/// calls in progress.
class PushWindow {
 public:
  PushWindow(PushConsumerRef consumer, std::size_t pushes_max)
      : consumer_(std::move(consumer)), pushes_max_(pushes_max) {}
  PushWindow(const PushWindow&) = delete;
  PushWindow& operator=(const PushWindow&) = delete;

  [[nodiscard]] bool is_empty() const noexcept { return pushes_.empty(); }
  /// Whether a further call may begin. Large events go alone. After a call that has failed at once,
  /// for example because too many octets wait for the connection, no call begins: so the channel
  /// can send the event of the failed call again.
  [[nodiscard]] bool has_room() const noexcept;
  /// Begins a call.
  void start(EventRef event);
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
    call<void> in_progress;
  };

  /// Removes the oldest push.
  EventRef take_oldest();

  const PushConsumerRef consumer_;
  const std::size_t pushes_max_;
  std::deque<Push> pushes_;
  std::size_t octets_ = 0;  // of the events in pushes_
};

}  // namespace perigee::events
