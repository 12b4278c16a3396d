// The proxies to which suppliers connect.
#pragma once

#include "services/events/proxies.h"
#include "services/events/push_order.h"

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>

namespace perigee::events {

/// A supplier pushes its events to it.
class PushConsumerProxy final
    : public CORBA::async_traits<CosEventChannelAdmin::ProxyPushConsumer>::base_type,
      public Proxy {
 public:
  using Proxy::Proxy;

  task<void> connect_push_supplier(
      CORBA::object_reference<CosEventComm::PushSupplier> push_supplier) override;
  task<void> push(CORBA::Any data) override;
  task<void> disconnect_push_consumer() override;

  [[nodiscard]] bool is_connected() const override;
  [[nodiscard]] bool calls_peer() const override { return false; }
  void end(bool tells_peer) override;

 private:
  task<void> wait_for_turn();

  PushOrder order_;           // with Overflow::block
  mutable std::mutex mutex_;  // guards the members below
  CORBA::object_reference<CosEventComm::PushSupplier> supplier_;
  bool connected_ = false;
  bool ended_ = false;
};

/// Asks a supplier for its events.
class PullConsumerProxy final
    : public CORBA::async_traits<CosEventChannelAdmin::ProxyPullConsumer>::base_type,
      public CallingProxy {
 public:
  using CallingProxy::CallingProxy;

  task<void> connect_pull_supplier(
      CORBA::object_reference<CosEventComm::PullSupplier> pull_supplier) override;
  task<void> disconnect_pull_consumer() override;

  [[nodiscard]] bool is_connected() const override;
  void end(bool tells_peer) override;

 private:
  task<void> move_all(std::string& reason, bool pauses) override;
  enum class Step : std::uint8_t { event, idle, gone };
  /// One call of the supplier. `reason` gets the cause of a failure.
  task<Step> pull_once(std::string& reason);
  task<void> publish_durably(EventRef event);
  /// Null: the event is too large. `reason` gets the cause. The first one of a row is logged.
  [[nodiscard]] EventRef keep(CORBA::Any data, std::string& reason);
  /// One more failure in a row: `gone` if there were too many.
  [[nodiscard]] Step count_failure() noexcept;

  mutable std::mutex mutex_;  // guards the members below
  CORBA::object_reference<CosEventComm::PullSupplier> supplier_;
  bool connected_ = false;
  bool ended_ = false;
  unsigned failures_ = 0;  // of move_all
};

}  // namespace perigee::events
