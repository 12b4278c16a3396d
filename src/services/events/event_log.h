// What makes a channel durable.
#pragma once

#include "services/events/event.h"
#include <perigee/async/task.h>

namespace perigee::events {

/// Keeps the events of a channel, and gives each kept event back to the channel.
class EventLog {
 public:
  virtual ~EventLog() = default;
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  /// Returns when the event is durable. Events are kept in the order of the calls. Raises the
  /// exceptions of the store. A thread of the store may resume the task.
  virtual task<void> append(EventRef event) = 0;
  /// A consumer is about to connect. Called on the thread that serves its request: the loop of this
  /// thread gives kept events to the channel.
  virtual void prepare_consumer() = 0;

 protected:
  EventLog() = default;
};

}  // namespace perigee::events
