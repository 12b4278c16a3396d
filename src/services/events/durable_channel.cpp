// The objects of subscriptions are made when the channel is opened, so that their references work
// after a restart.
#include "services/events/durable_channel.h"

#include "services/events/admin_servants.h"
#include "services/events/start_detached.h"
#include "services/events/subscription_proxies.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <utility>

namespace perigee::events {

namespace {

constexpr std::size_t name_size_max = 255;

/// Makes the proxies of a subscription.
class SubscriptionAdmin final
    : public CORBA::servant_traits<CosEventChannelAdmin::ConsumerAdmin>::base_type {
 public:
  SubscriptionAdmin(std::shared_ptr<Proxies> proxies, std::shared_ptr<Channel> channel,
                    FeedRef feed)
      : proxies_(std::move(proxies)), channel_(std::move(channel)), feed_(std::move(feed)) {}

  CORBA::object_reference<CosEventChannelAdmin::ProxyPushSupplier> obtain_push_supplier() override {
    proxies_->access().require_consume();
    return IDL::traits<CosEventChannelAdmin::ProxyPushSupplier>::unchecked_narrow(
        proxies_->make<SubscriptionPushProxy>(channel_, feed_));
  }
  CORBA::object_reference<CosEventChannelAdmin::ProxyPullSupplier> obtain_pull_supplier() override {
    proxies_->access().require_consume();
    return IDL::traits<CosEventChannelAdmin::ProxyPullSupplier>::unchecked_narrow(
        proxies_->make<SubscriptionPullProxy>(channel_, feed_));
  }

 private:
  const std::shared_ptr<Proxies> proxies_;
  const std::shared_ptr<Channel> channel_;
  const FeedRef feed_;
};

bool is_control(char character) {
  const auto octet = static_cast<unsigned char>(character);
  return octet < 0x20 || octet == 0x7f;
}

}  // namespace

void require_subscription_name(const std::string& name) {
  if (!name.empty() && name.size() <= name_size_max && !name.contains('/') &&
      std::ranges::none_of(name, is_control))
    return;
  throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                         "the name of a subscription has 1 to " + std::to_string(name_size_max) +
                             " octets, no slash and no control characters");
}

// --- Subscriptions ---

Subscriptions::Subscriptions(
    ChannelObjects objects, std::shared_ptr<Channel> channel, std::shared_ptr<DurableLog> log,
    CORBA::object_reference<CosEventChannelAdmin::SupplierAdmin> for_suppliers)
    : objects_(std::move(objects)),
      channel_(std::move(channel)),
      log_(std::move(log)),
      for_suppliers_(std::move(for_suppliers)) {}

std::string Subscriptions::key_of(const std::string& name) const {
  return channel_->name() + '/' + name;
}

std::function<void()> Subscriptions::destroy_function(const std::string& name) {
  if (!channel_->options().may_destroy) return {};
  return [self = weak_from_this(), name] {
    const auto all = self.lock();
    if (all == nullptr) return;
    all->require_consume();
    start_detached(all->end(name));
  };
}

Subscriptions::Entry Subscriptions::make(const Subscription& stored) {
  auto feed = std::make_shared<SubscriptionFeed>(log_, stored);
  const Proxies::Id admin = objects_.anonymous->activate_object(
      CORBA::make_reference<SubscriptionAdmin>(objects_.proxies, channel_, feed));
  const auto servant = CORBA::make_reference<EventChannel>(
      IDL::traits<CosEventChannelAdmin::ConsumerAdmin>::unchecked_narrow(
          objects_.anonymous->id_to_reference(admin)),
      for_suppliers_, destroy_function(stored.name));
  const std::string key = key_of(stored.name);
  const auto id = PortableServer::string_to_ObjectId(key);
  try {
    objects_.named->activate_object_with_id(id, servant);
  } catch (const PortableServer::POA::ObjectAlreadyActive&) {
    objects_.anonymous->deactivate_object(admin);
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                           "the ORB has an object with the key " + key + " already");
  }
  return {std::move(feed), objects_.named->id_to_reference(id), admin};
}

ObjectRef Subscriptions::add(const Subscription& stored) {
  const std::scoped_lock lock(mutex_);
  if (channel_->has_ended())
    throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the channel has ended");
  const auto found = entries_.find(stored.name);
  if (found != entries_.end()) return found->second.object;
  Entry entry = make(stored);
  log_->add(entry.feed);
  return entries_.emplace(stored.name, std::move(entry)).first->second.object;
}

task<ObjectRef> Subscriptions::subscribe(std::string name, Begin begin) {
  require_subscription_name(name);
  const Subscription stored = co_await log_->subscribe(std::move(name), begin);
  co_return add(stored);
}

ObjectRef Subscriptions::subscribe_now(const std::string& name, Begin begin) {
  require_subscription_name(name);
  return add(log_->subscribe_now(name, begin));
}

task<void> Subscriptions::end(std::string name) {
  try {
    co_await log_->unsubscribe(name);
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    throw PerigeeEvents::NoSubscription();
  }
  Entry entry;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(name);
    if (found == entries_.end()) co_return;
    entry = std::move(found->second);
    entries_.erase(found);
  }
  log_->remove(entry.feed);
  entry.feed->end();
  deactivate(name, entry);
}

task<std::vector<Subscription>> Subscriptions::all() { return log_->subscriptions(); }

void Subscriptions::deactivate(const std::string& name, const Entry& entry) {
  try {
    objects_.named->deactivate_object(PortableServer::string_to_ObjectId(key_of(name)));
    objects_.anonymous->deactivate_object(entry.admin);
  } catch (const CORBA::Exception& exception) {  // the adapter is being destroyed
    log::write(log::Level::debug, "events", exception.what());
  }
}

void Subscriptions::close() {
  std::map<std::string, Entry> entries;
  {
    const std::scoped_lock lock(mutex_);
    entries.swap(entries_);
  }
  log_->close();
  for (const auto& [name, entry] : entries) deactivate(name, entry);
}

// --- DurableChannel ---

DurableChannel::DurableChannel(
    CORBA::object_reference<CosEventChannelAdmin::ConsumerAdmin> for_consumers,
    CORBA::object_reference<CosEventChannelAdmin::SupplierAdmin> for_suppliers,
    std::shared_ptr<Subscriptions> subscriptions, std::function<void()> destroy)
    : for_consumers_(std::move(for_consumers)),
      for_suppliers_(std::move(for_suppliers)),
      subscriptions_(std::move(subscriptions)),
      destroy_(std::move(destroy)) {}

task<CORBA::object_reference<CosEventChannelAdmin::ConsumerAdmin>> DurableChannel::for_consumers() {
  co_return for_consumers_;
}

task<CORBA::object_reference<CosEventChannelAdmin::SupplierAdmin>> DurableChannel::for_suppliers() {
  co_return for_suppliers_;
}

task<void> DurableChannel::destroy() {
  call_destroy(destroy_);
  co_return;
}

task<CORBA::object_reference<CosEventChannelAdmin::EventChannel>> DurableChannel::subscription(
    std::string name, bool from_beginning) {
  subscriptions_->require_consume();
  const Begin begin = from_beginning ? Begin::first_event : Begin::next_event;
  const ObjectRef object = co_await subscriptions_->subscribe(std::move(name), begin);
  co_return IDL::traits<CosEventChannelAdmin::EventChannel>::unchecked_narrow(object);
}

task<void> DurableChannel::end_subscription(std::string name) {
  subscriptions_->require_consume();
  co_await subscriptions_->end(std::move(name));
}

task<PerigeeEvents::SubscriptionList> DurableChannel::subscriptions() {
  const std::vector<Subscription> all = co_await subscriptions_->all();
  PerigeeEvents::SubscriptionList list;
  list.reserve(all.size());
  for (const Subscription& each : all) list.emplace_back(each.name, each.acknowledged, each.missed);
  co_return list;
}

}  // namespace perigee::events
