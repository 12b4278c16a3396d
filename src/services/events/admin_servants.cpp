// Each call makes a new proxy.
#include "services/events/admin_servants.h"

#include "services/events/consumer_proxies.h"
#include "services/events/supplier_proxies.h"

namespace perigee::events {

namespace {

template <typename Interface>
CORBA::object_reference<Interface> as(const ObjectRef& object) {
  return IDL::traits<Interface>::unchecked_narrow(object);
}

}  // namespace

CORBA::object_reference<CosEventChannelAdmin::ProxyPushSupplier>
ConsumerAdmin::obtain_push_supplier() {
  proxies_->access().require_consume();
  return as<CosEventChannelAdmin::ProxyPushSupplier>(proxies_->make<PushSupplierProxy>(channel_));
}

CORBA::object_reference<CosEventChannelAdmin::ProxyPullSupplier>
ConsumerAdmin::obtain_pull_supplier() {
  proxies_->access().require_consume();
  return as<CosEventChannelAdmin::ProxyPullSupplier>(proxies_->make<PullSupplierProxy>(channel_));
}

CORBA::object_reference<CosEventChannelAdmin::ProxyPushConsumer>
SupplierAdmin::obtain_push_consumer() {
  proxies_->access().require_supply();
  return as<CosEventChannelAdmin::ProxyPushConsumer>(proxies_->make<PushConsumerProxy>(channel_));
}

CORBA::object_reference<CosEventChannelAdmin::ProxyPullConsumer>
SupplierAdmin::obtain_pull_consumer() {
  proxies_->access().require_supply();
  return as<CosEventChannelAdmin::ProxyPullConsumer>(proxies_->make<PullConsumerProxy>(channel_));
}

void call_destroy(const std::function<void()>& destroy) {
  if (!destroy)
    throw CORBA::NO_PERMISSION(0, CORBA::COMPLETED_NO,
                               "clients may not destroy the channels of this server");
  destroy();
}

}  // namespace perigee::events
