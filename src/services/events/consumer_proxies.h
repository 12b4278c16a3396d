// The proxies to which consumers connect.
#pragma once

#include "services/events/proxies.h"
#include "services/events/push_window.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace perigee::events {

/// Pushes the events of the channel to a consumer.
class PushSupplierProxy final
    : public CORBA::async_traits<CosEventChannelAdmin::ProxyPushSupplier>::base_type,
      public CallingProxy {
 public:
  using CallingProxy::CallingProxy;

  task<void> connect_push_consumer(
      CORBA::object_reference<CosEventComm::PushConsumer> push_consumer) override;
  task<void> disconnect_push_supplier() override;

  [[nodiscard]] bool is_connected() const override;
  void end(bool tells_peer) override;

 private:
  task<void> move_all(std::string& reason, bool pauses) override;
  /// Does not change while events are moved.
  struct Connection {
    QueueRef queue;
    PushConsumerRef consumer;
  };
  [[nodiscard]] Connection current_connection() const;
  /// One call at a time.
  task<void> move_each(const Connection& connection, std::string& reason, bool pauses);
  /// Up to Options::pushes_per_consumer_max calls at a time.
  task<void> move_several(const Connection& connection, std::string& reason);
  /// Begins calls as long as there are events, and the window has room.
  void fill(PushWindow& window, EventQueue& queue, EventRef& next);
  /// Calls the consumer until it has the event, may have it, or has failed too often: then the
  /// result is false.
  task<bool> deliver(const Connection& connection, EventRef event, std::string& reason);
  /// After a failure: waits for the calls in progress, and sends events again. False if the
  /// consumer has failed too often, or if the proxy ends.
  task<bool> recover(const Connection& connection, PushWindow& window, PushStep failed,
                     std::string& reason);
  /// Delivers the events one after the other. False as for `deliver`: it counts all others.
  task<bool> deliver_all(const Connection& connection, const std::vector<EventRef>& events,
                         std::string& reason);
  void note_delivered(std::string& reason);

  mutable std::mutex mutex_;  // guards consumer_, queue_ and ended_
  CORBA::object_reference<CosEventComm::PushConsumer> consumer_;
  QueueRef queue_;
  bool ended_ = false;
  unsigned failures_ = 0;  // in a row; of move_all
};

/// Gives the events of the channel to a consumer that asks for them.
class PullSupplierProxy final
    : public CORBA::async_traits<CosEventChannelAdmin::ProxyPullSupplier>::base_type,
      public Proxy {
 public:
  using Proxy::Proxy;

  task<void> connect_pull_consumer(
      CORBA::object_reference<CosEventComm::PullConsumer> pull_consumer) override;
  task<CORBA::Any> pull() override;
  task<CosEventComm::PullSupplier_try_pull_results> try_pull() override;
  task<void> disconnect_pull_supplier() override;

  [[nodiscard]] bool is_connected() const override;
  [[nodiscard]] bool calls_peer() const override { return false; }
  void end(bool tells_peer) override;

 private:
  /// Raises Disconnected if no consumer is connected.
  [[nodiscard]] QueueRef connected_queue();

  mutable std::mutex mutex_;  // guards the members below
  CORBA::object_reference<CosEventComm::PullConsumer> consumer_;
  QueueRef queue_;
  bool ended_ = false;
  RequestLimit waiting_pulls_{options().pulls_per_proxy_max, minor_no_event_yet};
};

}  // namespace perigee::events
