// Suppliers and consumers of an event channel, for tasks. They work with the channels of any ORB.
#pragma once

#include <perigee/async/task.h>
#include <perigee/base/export.h>
#include <perigee/orb/any.h>
#include <perigee/orb/object.h>
#include <perigee/services/events/store.h>

#include <memory>
#include <optional>
#include <string>

namespace perigee::events {

/// A consumer that asks its channel for events. One task at a time uses it; any thread.
///
/// The channel keeps the events that have come since the consumer connected, up to the limit of its
/// queue. The consumer of a subscription gets all events of the subscription, each at least once:
/// `next` acknowledges the event that the previous `next` returned, and so does `disconnect`. Each
/// event is one call, so a push consumer suits high rates better.
class PERIGEE_API ChannelConsumer {
 public:
  /// Makes no call. `channel` is a CosEventChannelAdmin::EventChannel. Raises BAD_PARAM if it is
  /// nil.
  explicit ChannelConsumer(const CORBA::object_reference<CORBA::Object>& channel);
  ChannelConsumer(const ChannelConsumer&) = delete;
  ChannelConsumer& operator=(const ChannelConsumer&) = delete;
  /// A consumer of the subscription, which is made if it does not exist. Makes no call. `channel`
  /// is a PerigeeEvents::DurableChannel. Raises BAD_PARAM if it is nil.
  [[nodiscard]] static ChannelConsumer of_subscription(
      const CORBA::object_reference<CORBA::Object>& channel, const std::string& name,
      Begin begin = Begin::next_event);
  /// The channel still has its end of the connection: await `disconnect` before.
  ~ChannelConsumer();

  /// Connects to the channel, unless this has happened before. Later events reach this consumer.
  /// Raises the exceptions of the calls, for example TRANSIENT if the channel cannot be reached.
  task<void> connect();
  /// Waits for the next event; connects first. Empty if the channel has ended, or has disconnected
  /// this consumer. Raises the exceptions of the calls. If the task is asked to stop, the call is
  /// cancelled, and an event may be lost. A subscription does not lose the event: `next` returns it
  /// again.
  task<std::optional<CORBA::Any>> next();
  /// The number of the event that `next` has returned last; 0 without a subscription.
  [[nodiscard]] SequenceNumber number() const noexcept;
  /// Ends the connection. Does nothing without a connection.
  task<void> disconnect();

 private:
  class Parts;
  ChannelConsumer(const CORBA::object_reference<CORBA::Object>& channel, const std::string& name,
                  Begin begin);

  const std::unique_ptr<Parts> parts_;
};

/// A supplier that pushes its events. One task at a time uses it; any thread.
class PERIGEE_API ChannelSupplier {
 public:
  /// Makes no call. `channel` is a CosEventChannelAdmin::EventChannel. Raises BAD_PARAM if it is
  /// nil.
  explicit ChannelSupplier(const CORBA::object_reference<CORBA::Object>& channel);
  ChannelSupplier(const ChannelSupplier&) = delete;
  ChannelSupplier& operator=(const ChannelSupplier&) = delete;
  /// The channel still has its end of the connection: await `disconnect` before.
  ~ChannelSupplier();

  /// Connects to the channel, unless this has happened before. Raises the exceptions of the calls.
  task<void> connect();
  /// Pushes an event; connects first. False if the channel has ended, or has disconnected this
  /// supplier. Raises the exceptions of the calls: IMP_LIMIT for an event that is too large for the
  /// channel, TRANSIENT if too many events wait.
  task<bool> push(CORBA::Any event);
  /// Ends the connection. Does nothing without a connection.
  task<void> disconnect();

 private:
  class Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace perigee::events
