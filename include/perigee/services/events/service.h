// An event service inside a program: channels of CosEventChannelAdmin for suppliers and consumers.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/orb.h>
#include <perigee/services/events/options.h>
#include <perigee/services/events/statistics.h>

#include <memory>
#include <string>

namespace perigee::events {

/// The service. Any thread; all thread strategies. No thread waits for a supplier or a consumer.
///
/// Each connected consumer has a queue of its own, and gets the events of one supplier in the order
/// in which the service executes its pushes. Thread strategies with several threads for a
/// connection keep the order of pushes that do not wait for each other only with
/// `-ORBRequestOrder connection`. Delivery is at most once: an event that a consumer may have
/// got is not sent to it again. Events live in memory only. The metrics and the metrics page of the
/// ORB show the channels.
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
  /// be told afterwards. Blocks until each peer has been told or cannot be reached, but at most for
  /// `Options::end_time_max`. Any thread outside of a request. Under strategy reactive, another
  /// thread runs the ORB, or this thread drives its calls. Does nothing after the shutdown.
  void end() noexcept;

  /// A new channel, a CosEventChannelAdmin::EventChannel. Clients reach it as
  /// `corbaloc::host:port/<key>`. Raises BAD_PARAM if a channel or object has this key, and
  /// NO_RESOURCES beyond the limit of channels.
  CORBA::object_reference<CORBA::Object> add_channel(const std::string& key);
  /// Raises BAD_PARAM if there is no such channel.
  [[nodiscard]] ChannelStatistics statistics_of(const std::string& key) const;

 private:
  class Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace perigee::events
