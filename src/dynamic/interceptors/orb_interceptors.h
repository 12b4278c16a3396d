// The interceptors of one ORB, and what they share.
#pragma once

#include "dynamic/interceptors/contexts.h"
#include "dynamic/interceptors/slots.h"
#include "orb/core/orb_core.h"
#include "orb/invocation/call_interception.h"
#include "poa/upcall_hooks.h"
#include <perigee/dynamic/interceptors.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace perigee::interceptors {

/// The interceptors in the order of their registration. Immutable: the requests in progress share
/// it.
struct InterceptorLists {
  std::vector<CORBA::object_reference<PortableInterceptor::ClientRequestInterceptor>> client;
  std::vector<CORBA::object_reference<PortableInterceptor::ServerRequestInterceptor>> server;
  std::vector<CORBA::object_reference<PortableInterceptor::IORInterceptor>> ior;
};
using ListsRef = std::shared_ptr<const InterceptorLists>;

class AdapterComponents;

/// Owned by the ORB, as one of its services. Any thread.
class OrbInterceptors final : public orb::Service,
                              public orb::CallHooks,
                              public poa::UpcallHooks,
                              public poa::AdapterHooks,
                              public orb::ApplicationPolicies {
 public:
  explicit OrbInterceptors(orb::OrbCore& core) : core_(core) {}

  /// Makes the interceptors active. Called once, by the thread that makes the ORB.
  void start(InterceptorLists lists, std::uint32_t slots);

  void stop(orb::Completion /*completion*/) noexcept override {}
  /// Destroys and releases the interceptors.
  void destroy() noexcept override;

  [[nodiscard]] std::unique_ptr<orb::CallInterception> begin(
      const counted_ptr<orb::Reference>& target, const stub::Operation& operation) override;
  [[nodiscard]] std::unique_ptr<poa::InterceptedUpcall> begin(orb::ServerRequest& request) override;

  [[nodiscard]] bool takes_policy(CORBA::PolicyType type) const override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> make(CORBA::PolicyType type,
                                                            const CORBA::Any& value) const override;
  /// Registers a factory for policies of the type. False if the type has a factory already.
  [[nodiscard]] bool add_policy_factory(
      CORBA::PolicyType type,
      const CORBA::object_reference<PortableInterceptor::PolicyFactory>& factory);
  [[nodiscard]] std::shared_ptr<const orb::IorCompletion> make_components(
      const CORBA::PolicyList& policies, const poa::Manager& manager) override;
  void manager_changed(const poa::Manager& manager,
                       PortableServer::POAManager::State state) noexcept override;
  void adapter_destroyed(const poa::Adapter& adapter) noexcept override;

  [[nodiscard]] orb::OrbCore& core() const noexcept { return core_; }
  [[nodiscard]] const OrbIdentity& identity() const noexcept { return identity_; }
  /// Raises InvalidSlot if no slot has this id.
  void check_slot(PortableInterceptor::SlotId id) const;
  /// The policy of the POA with this type, or nil. Raises INV_POLICY, OMG minor 3, if no factory of
  /// the type is registered.
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> adapter_policy(
      const CORBA::object_reference<PortableServer::POA>& adapter, CORBA::PolicyType type) const;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> known_policy(
      const AdapterComponents& components, CORBA::PolicyType type) const;
  [[nodiscard]] bool started() const noexcept { return started_.load(); }
  /// Null after `destroy`.
  [[nodiscard]] ListsRef lists() const noexcept;

 private:
  orb::OrbCore& core_;
  const OrbIdentity identity_ = std::make_shared<const char>();
  std::atomic<bool> started_{false};
  std::atomic<std::uint32_t> slots_{0};
  mutable std::mutex mutex_;  // guards the members below
  std::map<CORBA::PolicyType, CORBA::object_reference<PortableInterceptor::PolicyFactory>>
      policy_factories_;
  ListsRef lists_;
};

/// A number for a request, unique in the process among requests in progress.
[[nodiscard]] std::uint32_t next_request_number() noexcept;

}  // namespace perigee::interceptors
