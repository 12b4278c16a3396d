// Assembles the event service in an ORB: adapters, channels, their objects.
#include "services/events/admin_servants.h"
#include "services/events/channel.h"
#include "services/events/channel_numbers.h"
#include "services/events/durable_channel.h"
#include "services/events/durable_log.h"
#include "services/events/proxies.h"
#include <perigee/base/log.h>
#include <perigee/orb/added_metrics.h>
#include <perigee/orb/status_section.h>
#include <perigee/services/events/service.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace perigee::events {

namespace {

PoaRef poa_of(CORBA::ORB& orb, const char* name) {
  return IDL::traits<PortableServer::POA>::narrow(orb.resolve_initial_references(name));
}

}  // namespace

class EventService::Parts : public std::enable_shared_from_this<EventService::Parts> {
 public:
  Parts(const CORBA::object_reference<CORBA::ORB>& orb, const Options& options)
      : orb_(orb),
        options_(options),
        named_poa_(poa_of(*orb, "INSPOA")),
        poa_(make_poa(poa_of(*orb, "RootPOA"))),
        proxies_(std::make_shared<Proxies>(orb_, poa_, options_)),
        table_(*orb_, "channels", "Event channels",
               [this](const orb::StatusQuery& query) {
                 return table_of_channels(channels_after(query.after, query.rows_max + 1), query);
               }),
        metrics_(orb_, [this](orb::MetricsSnapshot& snapshot) {
          append_channel_metrics(channels_after({}, options_.channels_max), snapshot);
        }) {
    proxies_->watch_shutdown();
    named_poa_->the_POAManager()->activate();
  }

  ObjectRef add_channel(const std::string& key) {
    return add(key, [this, &key](const std::shared_ptr<Channel>& channel) {
      return activate_channel(key, channel);
    });
  }

  ObjectRef add_durable_channel(const std::string& key, EventStore& store) {
    return add(key, [this, &key, &store](const std::shared_ptr<Channel>& channel) {
      return activate_durable_channel(key, channel, store);
    });
  }

  ObjectRef add_subscription(const std::string& key, const std::string& name, Begin begin) {
    std::shared_ptr<Subscriptions> subscriptions;
    {
      const std::scoped_lock lock(mutex_);
      const auto found = channels_.find(key);
      if (found != channels_.end()) subscriptions = found->second.subscriptions;
    }
    if (subscriptions == nullptr)
      throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "there is no durable channel " + key);
    return subscriptions->subscribe_now(name, begin);
  }

  [[nodiscard]] ChannelStatistics statistics_of(const std::string& key) const {
    const std::scoped_lock lock(mutex_);
    const auto found = channels_.find(key);
    if (found == channels_.end())
      throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "there is no channel " + key);
    return found->second.channel->statistics();
  }

  void end_and_tell() { proxies_->end_all_and_wait(); }

  void end_all() {
    proxies_->end_all();
    Channels ended;
    {
      const std::scoped_lock lock(mutex_);
      ended.swap(channels_);
    }
    for (const auto& [key, entry] : ended)
      if (entry.subscriptions != nullptr) entry.subscriptions->close();
  }

 private:
  struct Entry {
    std::shared_ptr<Channel> channel;
    std::vector<Proxies::Id> admins;               // the objects for consumers and suppliers
    std::shared_ptr<Subscriptions> subscriptions;  // of a durable channel
  };
  using Channels = std::map<std::string, Entry>;
  /// Whether the end of a channel deactivates the object with the channel's key, or keeps it.
  enum class ChannelObject : std::uint8_t { deactivate, keep };

  /// At most `count` channels in the order of their keys, after the key `after`.
  [[nodiscard]] NumbersOfChannels channels_after(const std::string& after,
                                                 std::size_t count) const {
    NumbersOfChannels numbers;
    const std::scoped_lock lock(mutex_);
    for (auto next = channels_.upper_bound(after);
         next != channels_.end() && numbers.size() < count; ++next)
      numbers.push_back({next->first, next->second.channel->statistics()});
    return numbers;
  }

  template <typename Activate>
  ObjectRef add(const std::string& key, Activate activate) {
    const auto channel = std::make_shared<Channel>(key, options_, waiting_, proxies_->watch());
    reserve(key, channel);
    try {
      return activate(channel);
    } catch (const PortableServer::POA::ObjectAlreadyActive&) {
      remove_channel(key, ChannelObject::keep);
      throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                             "the ORB has an object with the key " + key + " already");
    } catch (...) {
      remove_channel(key, ChannelObject::keep);
      throw;
    }
  }

  [[nodiscard]] std::function<void()> destroy_function(const std::string& key) {
    if (!options_.may_destroy) return {};
    return [self = weak_from_this(), key] {
      if (const auto parts = self.lock()) parts->remove_channel(key, ChannelObject::deactivate);
    };
  }

  ObjectRef activate_named(const std::string& key, const Proxies::ServantRef& servant) {
    const auto id = PortableServer::string_to_ObjectId(key);
    named_poa_->activate_object_with_id(id, servant);
    return named_poa_->id_to_reference(id);
  }

  auto activate_for_consumers(const std::string& key, const std::shared_ptr<Channel>& channel) {
    return activate<CosEventChannelAdmin::ConsumerAdmin>(
        key, CORBA::make_reference<ConsumerAdmin>(proxies_, channel));
  }

  auto activate_for_suppliers(const std::string& key, const std::shared_ptr<Channel>& channel) {
    return activate<CosEventChannelAdmin::SupplierAdmin>(
        key, CORBA::make_reference<SupplierAdmin>(proxies_, channel));
  }

  ObjectRef activate_channel(const std::string& key, const std::shared_ptr<Channel>& channel) {
    return activate_named(key, CORBA::make_reference<EventChannel>(
                                   activate_for_consumers(key, channel),
                                   activate_for_suppliers(key, channel), destroy_function(key)));
  }

  ObjectRef activate_durable_channel(const std::string& key,
                                     const std::shared_ptr<Channel>& channel, EventStore& store) {
    const auto log = std::make_shared<DurableLog>(store, orb_, options_, key);
    channel->keep_in(log);
    const std::vector<Subscription> stored = log->open(channel);
    const auto for_suppliers = activate_for_suppliers(key, channel);
    const auto subscriptions = std::make_shared<Subscriptions>(
        ChannelObjects{named_poa_, poa_, proxies_}, channel, log, for_suppliers);
    set_subscriptions(key, subscriptions);
    for (const Subscription& each : stored) subscriptions->add(each);
    return activate_named(key, CORBA::make_reference<DurableChannel>(
                                   activate_for_consumers(key, channel), for_suppliers,
                                   subscriptions, destroy_function(key)));
  }

  void set_subscriptions(const std::string& key,
                         const std::shared_ptr<Subscriptions>& subscriptions) {
    const std::scoped_lock lock(mutex_);
    const auto found = channels_.find(key);
    if (found != channels_.end()) found->second.subscriptions = subscriptions;
  }

  void reserve(const std::string& key, const std::shared_ptr<Channel>& channel) {
    const std::scoped_lock lock(mutex_);
    if (channels_.contains(key))
      throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "there is a channel " + key + " already");
    if (channels_.size() >= options_.channels_max)
      throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO,
                                "the event service has " + std::to_string(options_.channels_max) +
                                    " channels, which is its limit");
    channels_.emplace(key, Entry{channel, {}, nullptr});
  }

  static PoaRef make_poa(const PoaRef& root) {
    return root->create_POA("PerigeeEvents", root->the_POAManager(), {});
  }

  /// An object of the channel, which ends with it.
  template <typename Interface>
  CORBA::object_reference<Interface> activate(const std::string& key,
                                              const Proxies::ServantRef& servant) {
    const Proxies::Id id = poa_->activate_object(servant);
    {
      const std::scoped_lock lock(mutex_);
      const auto found = channels_.find(key);
      if (found != channels_.end()) found->second.admins.push_back(id);
    }
    return IDL::traits<Interface>::unchecked_narrow(poa_->id_to_reference(id));
  }

  void remove_channel(const std::string& key, ChannelObject object) {
    Entry entry;
    {
      const std::scoped_lock lock(mutex_);
      const auto found = channels_.find(key);
      if (found == channels_.end()) return;
      entry = std::move(found->second);
      channels_.erase(found);
    }
    entry.channel->end();
    if (object == ChannelObject::deactivate)
      named_poa_->deactivate_object(PortableServer::string_to_ObjectId(key));
    for (const Proxies::Id& admin : entry.admins) poa_->deactivate_object(admin);
    if (entry.subscriptions != nullptr) entry.subscriptions->close();
    proxies_->end_all_of(*entry.channel);
  }

  const CORBA::object_reference<CORBA::ORB> orb_;
  const Options options_;
  const PoaRef named_poa_;
  const PoaRef poa_;
  const std::shared_ptr<Proxies> proxies_;
  const OctetCount waiting_ = std::make_shared<std::atomic<std::size_t>>(0);
  mutable std::mutex mutex_;  // guards the member below
  Channels channels_;
  // These members are the last: they end first, and read the members above.
  const orb::StatusSection table_;  // on the metrics page of the ORB
  const orb::AddedMetrics metrics_;
};

EventService::EventService(const CORBA::object_reference<CORBA::ORB>& orb, const Options& options)
    : parts_(std::make_shared<Parts>(orb, options)) {}
EventService::~EventService() { parts_->end_all(); }

void EventService::end() noexcept {
  try {
    parts_->end_and_tell();
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "events", exception.what());
  }
}

CORBA::object_reference<CORBA::Object> EventService::add_channel(const std::string& key) {
  return parts_->add_channel(key);
}

CORBA::object_reference<CORBA::Object> EventService::add_durable_channel(const std::string& key,
                                                                         EventStore& store) {
  return parts_->add_durable_channel(key, store);
}

CORBA::object_reference<CORBA::Object> EventService::add_subscription(const std::string& key,
                                                                      const std::string& name,
                                                                      Begin begin) {
  return parts_->add_subscription(key, name, begin);
}

ChannelStatistics EventService::statistics_of(const std::string& key) const {
  return parts_->statistics_of(key);
}

}  // namespace perigee::events
