// Clients keep the proxy of the channel. A proxy that has ended raises OBJECT_NOT_EXIST or
// Disconnected.
#include <perigee/async/on_orb.h>
#include <perigee/orb/exceptions.h>
#include <perigee/services/events/client.h>
#include <perigee/services/events/options.h>

#include <CosEventChannelAdminAsync.h>
#include <CosEventCommAsync.h>
#include <PerigeeEventsAsync.h>

#include <chrono>
#include <utility>

namespace perigee::events {

namespace {

using ChannelRef = CORBA::object_reference<CosEventChannelAdmin::EventChannel>;

constexpr std::chrono::milliseconds time_between_pulls(100);

ChannelRef as_channel(const CORBA::object_reference<CORBA::Object>& object) {
  if (object == nullptr) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a nil event channel");
  return IDL::traits<CosEventChannelAdmin::EventChannel>::unchecked_narrow(object);
}

/// Ends a connection. The channel may have ended it before.
task<void> end(task<void> call) {
  try {
    co_await std::move(call);
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    co_return;
  } catch (const CosEventComm::Disconnected&) {
    co_return;
  }
}

task<void> connect_consumer(
    CORBA::object_reference<CosEventChannelAdmin::ProxyPullSupplier> proxy) {
  co_await proxy->_async().connect_pull_consumer(nullptr);
}
task<void> connect_supplier(
    CORBA::object_reference<CosEventChannelAdmin::ProxyPushConsumer> proxy) {
  co_await proxy->_async().connect_push_supplier(nullptr);
}
task<void> disconnect_consumer(
    CORBA::object_reference<CosEventChannelAdmin::ProxyPullSupplier> proxy) {
  co_await proxy->_async().disconnect_pull_supplier();
}
task<void> disconnect_supplier(
    CORBA::object_reference<CosEventChannelAdmin::ProxyPushConsumer> proxy) {
  co_await proxy->_async().disconnect_push_consumer();
}

/// A channel, and this side's proxy in it.
template <typename Proxy>
class Connection {
 public:
  using ProxyRef = CORBA::object_reference<Proxy>;

  explicit Connection(const CORBA::object_reference<CORBA::Object>& object)
      : channel(as_channel(object)) {}

  /// Awaits the call that connects `proxy`.
  task<void> finish(task<void> call) {
    try {
      co_await std::move(call);
    } catch (const CosEventChannelAdmin::AlreadyConnected&) {  // by a call whose reply was lost
      is_connected = true;
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      proxy = nullptr;
      throw;
    }
    is_connected = true;
  }
  /// The proxy, which this object gives up; nil if there is none.
  [[nodiscard]] ProxyRef take() noexcept {
    is_connected = false;
    return std::exchange(proxy, nullptr);
  }

  const ChannelRef channel;
  ProxyRef proxy;  // kept if connecting fails
  bool is_connected = false;
};

}  // namespace

// --- ChannelConsumer ---

class ChannelConsumer::Parts : public Connection<CosEventChannelAdmin::ProxyPullSupplier> {
 public:
  using Connection::Connection;

  /// Where consumers connect: the channel, or the object of its subscription.
  task<ChannelRef> source() {
    if (subscription.empty()) co_return channel;
    const auto durable = IDL::traits<PerigeeEvents::DurableChannel>::unchecked_narrow(channel);
    const bool from_beginning = begin == Begin::first_event;
    co_return co_await durable->_async().subscription(subscription, from_beginning);
  }
  task<CORBA::Any> pull() {
    if (subscription.empty()) co_return co_await proxy->_async().pull();
    const auto numbered = numbered_proxy(proxy);
    auto event = co_await numbered->_async().pull_after(number);
    number = event.number();
    co_return std::move(event.data());
  }
  /// Without a reply, the event comes again.
  task<void> acknowledge(ProxyRef of) const {
    if (number != 0) co_await numbered_proxy(of)->_async().acknowledge(number);
  }

  std::string subscription;  // empty: none
  Begin begin = Begin::next_event;
  SequenceNumber number = 0;  // of the last event

 private:
  static CORBA::object_reference<PerigeeEvents::NumberedPullSupplier> numbered_proxy(
      const ProxyRef& proxy) {
    return IDL::traits<PerigeeEvents::NumberedPullSupplier>::unchecked_narrow(proxy);
  }
};

ChannelConsumer::ChannelConsumer(const CORBA::object_reference<CORBA::Object>& channel)
    : parts_(std::make_unique<Parts>(channel)) {}
ChannelConsumer::ChannelConsumer(const CORBA::object_reference<CORBA::Object>& channel,
                                 const std::string& name, Begin begin)
    : parts_(std::make_unique<Parts>(channel)) {
  if (name.empty())
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "the name of a subscription is empty");
  parts_->subscription = name;
  parts_->begin = begin;
}
ChannelConsumer::~ChannelConsumer() = default;

ChannelConsumer ChannelConsumer::of_subscription(
    const CORBA::object_reference<CORBA::Object>& channel, const std::string& name, Begin begin) {
  return {channel, name, begin};
}

SequenceNumber ChannelConsumer::number() const noexcept { return parts_->number; }

task<void> ChannelConsumer::connect() {
  if (parts_->is_connected) co_return;
  if (parts_->proxy == nullptr) {
    const auto source = co_await parts_->source();
    const auto admin = co_await source->_async().for_consumers();
    parts_->proxy = co_await admin->_async().obtain_pull_supplier();
    parts_->number = 0;
  }
  co_await parts_->finish(connect_consumer(parts_->proxy));
}

task<std::optional<CORBA::Any>> ChannelConsumer::next() {
  co_await connect();
  while (true) {
    try {
      co_return co_await parts_->pull();
    } catch (const CosEventComm::Disconnected&) {
      co_return std::nullopt;
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      co_return std::nullopt;
    } catch (const CORBA::TRANSIENT& exception) {
      if (exception.minor() != minor_no_event_yet) throw;
    }
    const bool slept = co_await sleep_for(parts_->channel->_get_orb(), time_between_pulls);
    if (!slept)
      throw CORBA::TRANSIENT(minor_no_event_yet, CORBA::COMPLETED_NO,
                             "the task was asked to stop before an event came");
  }
}

task<void> ChannelConsumer::disconnect() {
  const auto proxy = parts_->take();
  if (proxy == nullptr) co_return;
  co_await end(parts_->acknowledge(proxy));
  co_await end(disconnect_consumer(proxy));
}

// --- ChannelSupplier ---

class ChannelSupplier::Parts : public Connection<CosEventChannelAdmin::ProxyPushConsumer> {
 public:
  using Connection::Connection;
};

ChannelSupplier::ChannelSupplier(const CORBA::object_reference<CORBA::Object>& channel)
    : parts_(std::make_unique<Parts>(channel)) {}
ChannelSupplier::~ChannelSupplier() = default;

task<void> ChannelSupplier::connect() {
  if (parts_->is_connected) co_return;
  if (parts_->proxy == nullptr) {
    const auto admin = co_await parts_->channel->_async().for_suppliers();
    parts_->proxy = co_await admin->_async().obtain_push_consumer();
  }
  co_await parts_->finish(connect_supplier(parts_->proxy));
}

task<bool> ChannelSupplier::push(CORBA::Any event) {
  co_await connect();
  try {
    co_await parts_->proxy->_async().push(event);
    co_return true;
  } catch (const CosEventComm::Disconnected&) {
    co_return false;
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    co_return false;
  }
}

task<void> ChannelSupplier::disconnect() {
  const auto proxy = parts_->take();
  if (proxy != nullptr) co_await end(disconnect_supplier(proxy));
}

}  // namespace perigee::events
