// A durable channel and the objects of its subscriptions.
#pragma once

#include "services/events/durable_log.h"
#include "services/events/proxies.h"
#include "services/events/subscription_feed.h"

#include <PerigeeEventsAsyncS.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace perigee::events {

/// Where the objects of a durable channel live.
struct ChannelObjects {
  PoaRef named;      ///< of channels and subscriptions: the id is the key
  PoaRef anonymous;  ///< of their administration
  std::shared_ptr<Proxies> proxies;
};

/// The subscriptions of a channel. Each is a channel object with the key <channel>/<name>. Any
/// thread.
class Subscriptions : public std::enable_shared_from_this<Subscriptions> {
 public:
  Subscriptions(ChannelObjects objects, std::shared_ptr<Channel> channel,
                std::shared_ptr<DurableLog> log,
                CORBA::object_reference<CosEventChannelAdmin::SupplierAdmin> for_suppliers);

  /// Makes the object of a subscription that the store has. Does nothing if there is an object
  /// already. Raises BAD_PARAM if the key belongs to another object.
  ObjectRef add(const Subscription& stored);
  /// Makes the subscription if it does not exist. Raises BAD_PARAM for a wrong name, and the
  /// exceptions of the store.
  task<ObjectRef> subscribe(std::string name, Begin begin);
  /// The same; blocks.
  ObjectRef subscribe_now(const std::string& name, Begin begin);
  /// Raises PerigeeEvents::NoSubscription, and the exceptions of the store.
  task<void> end(std::string name);
  task<std::vector<Subscription>> all();
  /// Raises NO_PERMISSION if the client of the present request may not make or end a subscription.
  void require_consume() const { objects_.proxies->access().require_consume(); }
  /// Ends all objects. The subscriptions stay in the store.
  void close();

 private:
  struct Entry {
    std::shared_ptr<SubscriptionFeed> feed;
    ObjectRef object;
    Proxies::Id admin;
  };

  [[nodiscard]] std::string key_of(const std::string& name) const;
  [[nodiscard]] Entry make(const Subscription& stored);
  void deactivate(const std::string& name, const Entry& entry);
  /// Ends the subscription for a client that destroys its channel object.
  [[nodiscard]] std::function<void()> destroy_function(const std::string& name);

  const ChannelObjects objects_;
  const std::shared_ptr<Channel> channel_;
  const std::shared_ptr<DurableLog> log_;
  const CORBA::object_reference<CosEventChannelAdmin::SupplierAdmin> for_suppliers_;
  std::mutex mutex_;  // guards the member below; held while an object is made
  std::map<std::string, Entry> entries_;
};

/// The servant of a durable channel.
class DurableChannel final : public CORBA::async_traits<PerigeeEvents::DurableChannel>::base_type {
 public:
  /// `destroy` is called by clients that may destroy the channel; empty: none may.
  DurableChannel(CORBA::object_reference<CosEventChannelAdmin::ConsumerAdmin> for_consumers,
                 CORBA::object_reference<CosEventChannelAdmin::SupplierAdmin> for_suppliers,
                 std::shared_ptr<Subscriptions> subscriptions, std::function<void()> destroy);

  task<CORBA::object_reference<CosEventChannelAdmin::ConsumerAdmin>> for_consumers() override;
  task<CORBA::object_reference<CosEventChannelAdmin::SupplierAdmin>> for_suppliers() override;
  task<void> destroy() override;
  task<CORBA::object_reference<CosEventChannelAdmin::EventChannel>> subscription(
      std::string name, bool from_beginning) override;
  task<void> end_subscription(std::string name) override;
  task<PerigeeEvents::SubscriptionList> subscriptions() override;

 private:
  const CORBA::object_reference<CosEventChannelAdmin::ConsumerAdmin> for_consumers_;
  const CORBA::object_reference<CosEventChannelAdmin::SupplierAdmin> for_suppliers_;
  const std::shared_ptr<Subscriptions> subscriptions_;
  const std::function<void()> destroy_;
};

/// Raises BAD_PARAM for the name of a subscription that is empty, longer than 255 octets, or
/// contains a slash or a control character.
void require_subscription_name(const std::string& name);

}  // namespace perigee::events
