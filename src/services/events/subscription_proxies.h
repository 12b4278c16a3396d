// The proxies to which the consumers of a subscription connect. An event stays until it is
// acknowledged, so these proxies repeat calls that fail.
#pragma once

#include "services/events/proxies.h"
#include "services/events/push_window.h"
#include "services/events/subscription_feed.h"

#include <PerigeeEventsAsync.h>
#include <PerigeeEventsAsyncS.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace perigee::events {

using FeedRef = std::shared_ptr<SubscriptionFeed>;
using ReaderRef = std::shared_ptr<SubscriptionReader>;

/// Pushes the events of a subscription to a consumer. The reply of the consumer acknowledges the
/// event.
class SubscriptionPushProxy final
    : public CORBA::async_traits<CosEventChannelAdmin::ProxyPushSupplier>::base_type,
      public CallingProxy {
 public:
  SubscriptionPushProxy(std::shared_ptr<Proxies> proxies, std::shared_ptr<Channel> channel,
                        FeedRef feed);

  task<void> connect_push_consumer(
      CORBA::object_reference<CosEventComm::PushConsumer> push_consumer) override;
  task<void> disconnect_push_supplier() override;

  [[nodiscard]] bool is_connected() const override;
  void end(bool tells_peer) override;

 private:
  /// The consumer, by both interfaces that it may have.
  struct Consumer {
    CORBA::object_reference<CosEventComm::PushConsumer> plain;
    CORBA::object_reference<PerigeeEvents::NumberedPushConsumer> numbered;  // may be nil
  };

  task<void> move_all(std::string& reason, bool pauses) override;
  /// One call of the consumer. `reason` gets the cause of a failure.
  task<PushStep> push_once(const NumberedEvent& event, std::string& reason);
  /// Calls the consumer until it has accepted the event. False if too many calls have failed.
  task<bool> deliver(const NumberedEvent& event, std::string& reason);
  [[nodiscard]] Consumer consumer() const;

  const FeedRef feed_;
  mutable std::mutex mutex_;  // guards consumer_, reader_ and ended_
  Consumer consumer_;
  ReaderRef reader_;
  bool ended_ = false;
  unsigned failures_ = 0;  // of `move_all`, in a row
};

/// Gives the events of a subscription to a consumer that asks for them. The next `pull` or
/// `try_pull` of the consumer, or its disconnection, acknowledges the event that its previous call
/// returned.
class SubscriptionPullProxy final
    : public CORBA::async_traits<PerigeeEvents::NumberedPullSupplier>::base_type,
      public Proxy {
 public:
  SubscriptionPullProxy(std::shared_ptr<Proxies> proxies, std::shared_ptr<Channel> channel,
                        FeedRef feed);

  task<void> connect_pull_consumer(
      CORBA::object_reference<CosEventComm::PullConsumer> pull_consumer) override;
  task<CORBA::Any> pull() override;
  task<CosEventComm::PullSupplier_try_pull_results> try_pull() override;
  task<void> disconnect_pull_supplier() override;
  task<PerigeeEvents::NumberedEvent> pull_after(std::uint64_t number) override;
  task<void> acknowledge(std::uint64_t number) override;

  [[nodiscard]] bool is_connected() const override;
  [[nodiscard]] bool calls_peer() const override { return false; }
  void end(bool tells_peer) override;

 private:
  /// The reader of the connected consumer. Raises Disconnected if no consumer is connected.
  [[nodiscard]] ReaderRef connected_reader();
  /// The event that the last `pull` or `try_pull` returned; 0 if it is acknowledged.
  [[nodiscard]] SequenceNumber take_given();
  /// Acknowledges the event that the last `pull` or `try_pull` returned.
  void acknowledge_given();
  void note_given(SequenceNumber number);
  /// Waits for the next event. Raises Disconnected, or TRANSIENT if none has come in time.
  task<::perigee::events::NumberedEvent> wait_for_event(ReaderRef reader);

  const FeedRef feed_;
  mutable std::mutex mutex_;  // guards the members below
  CORBA::object_reference<CosEventComm::PullConsumer> consumer_;
  ReaderRef reader_;
  SequenceNumber given_ = 0;  // by `pull` or `try_pull`, and not acknowledged
  bool ended_ = false;
};

}  // namespace perigee::events
