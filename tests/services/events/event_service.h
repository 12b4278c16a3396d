// An event service in an ORB of its own, and suppliers and consumers in another ORB of the test.
#pragma once

#include <perigee/corba.h>
#include <perigee/orb/metrics.h>
#include <perigee/services/events/service.h>

#include <CosEventChannelAdminC.h>
#include <CosEventCommS.h>
#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace perigee::events::test {

using ChannelRef = IDL::traits<CosEventChannelAdmin::EventChannel>::ref_type;
using PushProxyRef = IDL::traits<CosEventChannelAdmin::ProxyPushConsumer>::ref_type;
using PullProxyRef = IDL::traits<CosEventChannelAdmin::ProxyPullSupplier>::ref_type;

inline CORBA::object_reference<CORBA::ORB> make_orb(const std::vector<std::string>& more) {
  static std::atomic<int> count = 0;
  std::vector<std::string> options{"-ORBListenEndpoints", "iiop://127.0.0.1:0",
                                   "-ORBLocalTransports", "none"};
  options.insert(options.end(), more.begin(), more.end());
  return CORBA::ORB_init(options, "event test " + std::to_string(++count));
}

/// An ORB that serves until the test ends.
class TestOrb {
 public:
  explicit TestOrb(const std::vector<std::string>& options = {}) : orb_(make_orb(options)) {
    IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"))
        ->the_POAManager()
        ->activate();
  }
  ~TestOrb() { orb_->destroy(); }
  TestOrb(const TestOrb&) = delete;
  TestOrb& operator=(const TestOrb&) = delete;
  /// Makes an object of the servant in this ORB.
  template <typename Interface, typename Servant>
  CORBA::object_reference<Interface> activate(const CORBA::servant_reference<Servant>& servant) {
    const auto poa =
        IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    return IDL::traits<Interface>::narrow(poa->servant_to_reference(servant));
  }
  CORBA::ORB* operator->() const { return orb_.operator->(); }
  [[nodiscard]] const CORBA::object_reference<CORBA::ORB>& ref() const { return orb_; }

 private:
  CORBA::object_reference<CORBA::ORB> orb_;
};

/// The service with one channel.
class Service {
 public:
  explicit Service(const Options& options = {}, const std::vector<std::string>& orb_options = {})
      : orb_(orb_options), service_(orb_.ref(), options) {
    reference_ = orb_->object_to_string(service_.add_channel("test"));
  }
  ~Service() { shut_down(); }
  /// Waits for the requests in progress.
  void shut_down() { orb_->shutdown(true); }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// The channel, for a client in another ORB.
  [[nodiscard]] ChannelRef channel(const TestOrb& client) const {
    return IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(
        client->string_to_object(reference_));
  }
  /// The channel, for calls within the process of the service.
  [[nodiscard]] ChannelRef own_channel() const { return channel(orb_); }
  /// A new channel, for calls within the process of the service.
  [[nodiscard]] ChannelRef own_channel(const std::string& key) {
    return IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(service_.add_channel(key));
  }
  [[nodiscard]] orb::MetricsSnapshot metrics() const { return orb_->_metrics(); }
  [[nodiscard]] ChannelStatistics statistics() const { return service_.statistics_of("test"); }
  [[nodiscard]] EventService& service() { return service_; }

 private:
  TestOrb orb_;
  EventService service_;
  std::string reference_;
};

/// A consumer that keeps its events. `on_push` may wait or throw.
class Consumer final : public CORBA::servant_traits<CosEventComm::PushConsumer>::base_type {
 public:
  explicit Consumer(std::function<void()> on_push = {}) : on_push_(std::move(on_push)) {}

  void push(const CORBA::Any& data) override {
    if (on_push_) on_push_();
    std::int32_t number = -1;
    data >>= number;
    const std::scoped_lock lock(mutex_);
    numbers_.push_back(number);
    changed_.notify_all();
  }
  void disconnect_push_consumer() override {
    const std::scoped_lock lock(mutex_);
    disconnected_ = true;
    changed_.notify_all();
  }

  /// Waits until there are this many events, and returns all.
  std::vector<std::int32_t> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return numbers_.size() >= count; });
    return numbers_;
  }
  [[nodiscard]] bool is_disconnected() const {
    const std::scoped_lock lock(mutex_);
    return disconnected_;
  }
  void wait_for_disconnection() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return disconnected_; });
  }

 private:
  const std::function<void()> on_push_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<std::int32_t> numbers_;
  bool disconnected_ = false;
};

/// Connects a consumer of the ORB `client`, whose reference the channel belongs to.
inline auto connect(TestOrb& client, const ChannelRef& channel,
                    const CORBA::servant_reference<Consumer>& consumer) {
  auto proxy = channel->for_consumers()->obtain_push_supplier();
  proxy->connect_push_consumer(client.activate<CosEventComm::PushConsumer>(consumer));
  return proxy;
}

inline PushProxyRef connect_supplier(const ChannelRef& channel) {
  auto proxy = channel->for_suppliers()->obtain_push_consumer();
  proxy->connect_push_supplier(nullptr);
  return proxy;
}

inline PullProxyRef connect_pull(const ChannelRef& channel) {
  auto proxy = channel->for_consumers()->obtain_pull_supplier();
  proxy->connect_pull_consumer(nullptr);
  return proxy;
}

inline CORBA::Any event(std::int32_t number) {
  CORBA::Any any;
  any <<= number;
  return any;
}

inline std::vector<std::int32_t> numbers_to(std::int32_t last) {
  std::vector<std::int32_t> numbers;
  for (std::int32_t number = 1; number <= last; ++number) numbers.push_back(number);
  return numbers;
}

inline std::int32_t pulled(const PullProxyRef& proxy) {
  std::int32_t number = -1;
  proxy->pull() >>= number;
  return number;
}

}  // namespace perigee::events::test
