// Clients keep the proxy of the channel. A proxy that has ended raises OBJECT_NOT_EXIST or
// Disconnected.
#include "services/events/request_limit.h"
#include <perigee/async/on_orb.h>
#include <perigee/orb/exceptions.h>
#include <perigee/services/events/client.h>

#include <CosEventChannelAdminAsync.h>
#include <CosEventCommAsync.h>

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
  }
}

task<void> disconnect_consumer(
    CORBA::object_reference<CosEventChannelAdmin::ProxyPullSupplier> proxy) {
  co_await proxy->_async().disconnect_pull_supplier();
}
task<void> disconnect_supplier(
    CORBA::object_reference<CosEventChannelAdmin::ProxyPushConsumer> proxy) {
  co_await proxy->_async().disconnect_push_consumer();
}

}  // namespace

// --- ChannelConsumer ---

class ChannelConsumer::Parts {
 public:
  explicit Parts(const CORBA::object_reference<CORBA::Object>& object)
      : channel(as_channel(object)) {}

  const ChannelRef channel;
  CORBA::object_reference<CosEventChannelAdmin::ProxyPullSupplier>
      proxy;  // kept if `connect` fails
  bool is_connected = false;
};

ChannelConsumer::ChannelConsumer(const CORBA::object_reference<CORBA::Object>& channel)
    : parts_(std::make_unique<Parts>(channel)) {}
ChannelConsumer::~ChannelConsumer() = default;

task<void> ChannelConsumer::connect() {
  if (parts_->is_connected) co_return;
  if (parts_->proxy == nullptr) {
    const auto admin = co_await parts_->channel->_async().for_consumers();
    parts_->proxy = co_await admin->_async().obtain_pull_supplier();
  }
  try {
    co_await parts_->proxy->_async().connect_pull_consumer(nullptr);
  } catch (const CosEventChannelAdmin::AlreadyConnected&) {  // by a call whose reply was lost
    parts_->is_connected = true;
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    parts_->proxy = nullptr;
    throw;
  }
  parts_->is_connected = true;
}

task<std::optional<CORBA::Any>> ChannelConsumer::next() {
  co_await connect();
  while (true) {
    try {
      co_return co_await parts_->proxy->_async().pull();
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
  const auto proxy = std::exchange(parts_->proxy, nullptr);
  parts_->is_connected = false;
  if (proxy != nullptr) co_await end(disconnect_consumer(proxy));
}

// --- ChannelSupplier ---

class ChannelSupplier::Parts {
 public:
  explicit Parts(const CORBA::object_reference<CORBA::Object>& object)
      : channel(as_channel(object)) {}

  const ChannelRef channel;
  CORBA::object_reference<CosEventChannelAdmin::ProxyPushConsumer>
      proxy;  // kept if `connect` fails
  bool is_connected = false;
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
  try {
    co_await parts_->proxy->_async().connect_push_supplier(nullptr);
  } catch (const CosEventChannelAdmin::AlreadyConnected&) {  // by a call whose reply was lost
    parts_->is_connected = true;
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    parts_->proxy = nullptr;
    throw;
  }
  parts_->is_connected = true;
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
  const auto proxy = std::exchange(parts_->proxy, nullptr);
  parts_->is_connected = false;
  if (proxy != nullptr) co_await end(disconnect_supplier(proxy));
}

}  // namespace perigee::events
