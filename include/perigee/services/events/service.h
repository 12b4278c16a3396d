// An event service inside a program: channels of CosEventChannelAdmin for suppliers and consumers.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/orb.h>
#include <perigee/services/events/options.h>
#include <perigee/services/events/statistics.h>
#include <perigee/services/events/store.h>

#include <memory>
#include <string>

namespace perigee::events {

/// The service. Any thread; all thread strategies. No thread waits for a supplier or a consumer.
///
/// Each connected consumer has a queue of its own, and gets the events of one supplier in the order
/// in which the service executes its pushes. A supplier may push an event before its earlier push
/// has returned. If the thread strategy has several threads for a connection, such pushes keep
/// their order only with `-ORBRequestOrder connection`. Delivery is at most once: an event that a
/// consumer may have got is not sent to it again. Events of a durable channel are in a store. The
/// consumer of a subscription gets each of them at least once. Other events are in memory only.
/// After a lost reply of `pull`, the consumer of a subscription must connect again, or use
/// `pull_after`: a further `pull` would acknowledge the event. Clients that may consume events may
/// also make and end subscriptions. The metrics and the metrics page of the ORB show the channels.
class PERIGEE_API EventService {
 public:
  /// The program activates the manager of the Root POA, and runs the ORB. Raises the exceptions of
  /// POA functions, for example if an adapter "PerigeeEvents" exists already.
  explicit EventService(const CORBA::object_reference<CORBA::ORB>& orb,
                        const Options& options = {});
  EventService(const EventService&) = delete;
  EventService& operator=(const EventService&) = delete;
  /// Call `ORB::shutdown(true)` before, so that no request is in progress.
  ~EventService();

  /// Ends all suppliers and consumers, and tells them by `disconnect_push_consumer` and so on. The
  /// service then accepts no further ones. Call it before the shutdown of the ORB, as a peer cannot
  /// be told afterwards. Blocks until each peer has been told or cannot be reached, but the calls
  /// end after `Options::end_time_max`. Any thread outside of a request. Under strategy reactive,
  /// another thread runs the ORB, or this thread drives its calls. Does nothing after the shutdown.
  void end() noexcept;

  /// A new channel, a CosEventChannelAdmin::EventChannel. Clients reach it as
  /// `corbaloc::host:port/<key>`. Raises BAD_PARAM if a channel or object has this key, and
  /// NO_RESOURCES beyond the limit of channels.
  CORBA::object_reference<CORBA::Object> add_channel(const std::string& key);
  /// A new channel whose events are in the store, under the name of the channel: a
  /// PerigeeEvents::DurableChannel. `push` returns when the event is durable. Subscriptions of the
  /// store are channel objects with the keys `<key>/<name>`. Blocks until the store has opened the
  /// channel. `store` outlives this service. Raises the same exceptions as `add_channel`;
  /// PERSIST_STORE, TRANSIENT and NO_RESOURCES if the store fails.
  CORBA::object_reference<CORBA::Object> add_durable_channel(const std::string& key,
                                                             EventStore& store);
  /// The channel object of a subscription, which is made if it does not exist. Blocks. Raises
  /// BAD_PARAM if there is no such durable channel, or if the name is wrong. A name has 1 to 255
  /// octets, no slash and no control characters. Raises the exceptions of a store that fails.
  CORBA::object_reference<CORBA::Object> add_subscription(const std::string& key,
                                                          const std::string& name, Begin begin);
  /// Raises BAD_PARAM if there is no such channel.
  [[nodiscard]] ChannelStatistics statistics_of(const std::string& key) const;

 private:
  class Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace perigee::events
