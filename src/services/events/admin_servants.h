// The objects of a channel that make its proxies.
#pragma once

#include "services/events/proxies.h"

#include <CosEventChannelAdminS.h>

#include <functional>
#include <memory>
#include <utility>

namespace perigee::events {

class ConsumerAdmin final
    : public CORBA::servant_traits<CosEventChannelAdmin::ConsumerAdmin>::base_type {
 public:
  ConsumerAdmin(std::shared_ptr<Proxies> proxies, std::shared_ptr<Channel> channel)
      : proxies_(std::move(proxies)), channel_(std::move(channel)) {}
  CORBA::object_reference<CosEventChannelAdmin::ProxyPushSupplier> obtain_push_supplier() override;
  CORBA::object_reference<CosEventChannelAdmin::ProxyPullSupplier> obtain_pull_supplier() override;

 private:
  const std::shared_ptr<Proxies> proxies_;
  const std::shared_ptr<Channel> channel_;
};

class SupplierAdmin final
    : public CORBA::servant_traits<CosEventChannelAdmin::SupplierAdmin>::base_type {
 public:
  SupplierAdmin(std::shared_ptr<Proxies> proxies, std::shared_ptr<Channel> channel)
      : proxies_(std::move(proxies)), channel_(std::move(channel)) {}
  CORBA::object_reference<CosEventChannelAdmin::ProxyPushConsumer> obtain_push_consumer() override;
  CORBA::object_reference<CosEventChannelAdmin::ProxyPullConsumer> obtain_pull_consumer() override;

 private:
  const std::shared_ptr<Proxies> proxies_;
  const std::shared_ptr<Channel> channel_;
};

/// Destroys a channel for a client. An empty function raises NO_PERMISSION.
void call_destroy(const std::function<void()>& destroy);

class EventChannel final
    : public CORBA::servant_traits<CosEventChannelAdmin::EventChannel>::base_type {
 public:
  /// `destroy` runs when a client calls the operation `destroy`. If it is empty, no client may
  /// destroy the channel: see `call_destroy`.
  EventChannel(CORBA::object_reference<CosEventChannelAdmin::ConsumerAdmin> for_consumers,
               CORBA::object_reference<CosEventChannelAdmin::SupplierAdmin> for_suppliers,
               std::function<void()> destroy)
      : for_consumers_(std::move(for_consumers)),
        for_suppliers_(std::move(for_suppliers)),
        destroy_(std::move(destroy)) {}
  CORBA::object_reference<CosEventChannelAdmin::ConsumerAdmin> for_consumers() override {
    return for_consumers_;
  }
  CORBA::object_reference<CosEventChannelAdmin::SupplierAdmin> for_suppliers() override {
    return for_suppliers_;
  }
  void destroy() override { call_destroy(destroy_); }

 private:
  const CORBA::object_reference<CosEventChannelAdmin::ConsumerAdmin> for_consumers_;
  const CORBA::object_reference<CosEventChannelAdmin::SupplierAdmin> for_suppliers_;
  const std::function<void()> destroy_;
};

}  // namespace perigee::events
