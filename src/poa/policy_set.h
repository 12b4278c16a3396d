// The policies of one adapter, as plain values: read from a CORBA::PolicyList and checked.
#pragma once

#include "orb/core/orb_core.h"
#include "orb/policies/protocol_preference.h"
#include <perigee/poa/poa.h>
#include <perigee/poa/policies.h>

#include <memory>

namespace perigee::poa {

class Adapter;
class Manager;

/// The hook of interceptors in the life of adapters. Any thread. Lives as long as the ORB. No lock
/// of an adapter or a manager is held during the calls.
class AdapterHooks {
 public:
  /// Whether adapters may have policies of this type.
  [[nodiscard]] virtual bool takes_policy(CORBA::PolicyType type) const = 0;
  /// Called for each new adapter, with the policies that the application gives and with the manager
  /// of the adapter. Null: no interceptor adds components.
  [[nodiscard]] virtual std::shared_ptr<const orb::IorCompletion> make_components(
      const CORBA::PolicyList& policies, const Manager& manager) = 0;
  /// Called when the manager has changed to `state`. Another thread may have changed it again
  /// meanwhile.
  virtual void manager_changed(const Manager& manager,
                               PortableServer::POAManager::State state) noexcept = 0;
  /// Called when the adapter was destroyed, and finds no objects any longer. Requests to its
  /// objects may be in progress.
  virtual void adapter_destroyed(const Adapter& adapter) noexcept = 0;

 protected:
  ~AdapterHooks() = default;
};

/// Defaults are those of create_POA (CORBA 3.0, 11.3.8.2).
struct PolicySet {
  PortableServer::ThreadPolicyValue thread = PortableServer::ThreadPolicyValue::ORB_CTRL_MODEL;
  PortableServer::LifespanPolicyValue lifespan = PortableServer::LifespanPolicyValue::TRANSIENT;
  PortableServer::IdUniquenessPolicyValue uniqueness =
      PortableServer::IdUniquenessPolicyValue::UNIQUE_ID;
  PortableServer::IdAssignmentPolicyValue assignment =
      PortableServer::IdAssignmentPolicyValue::SYSTEM_ID;
  PortableServer::ImplicitActivationPolicyValue activation =
      PortableServer::ImplicitActivationPolicyValue::NO_IMPLICIT_ACTIVATION;
  PortableServer::ServantRetentionPolicyValue retention =
      PortableServer::ServantRetentionPolicyValue::RETAIN;
  PortableServer::RequestProcessingPolicyValue processing =
      PortableServer::RequestProcessingPolicyValue::USE_ACTIVE_OBJECT_MAP_ONLY;
  /// BidirectionalPolicy BOTH: its objects may be called over connections that this ORB opened.
  bool bidirectional = false;
  /// The protocols of its references; null: all protocols. Shared: immutable.
  std::shared_ptr<const orb::ProtocolPreference> protocols = nullptr;
  /// The components that interceptors add to its references; null: none. Shared: immutable.
  std::shared_ptr<const orb::IorCompletion> components = nullptr;
  /// The same of TaggedComponentPolicy.
  std::shared_ptr<const orb::IorCompletion> policy_components = nullptr;

  [[nodiscard]] bool single_thread() const noexcept {
    return thread == PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL;
  }
  [[nodiscard]] bool main_thread() const noexcept {
    return thread == PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL;
  }
  [[nodiscard]] bool persistent() const noexcept {
    return lifespan == PortableServer::LifespanPolicyValue::PERSISTENT;
  }
  [[nodiscard]] bool unique_id() const noexcept {
    return uniqueness == PortableServer::IdUniquenessPolicyValue::UNIQUE_ID;
  }
  [[nodiscard]] bool system_id() const noexcept {
    return assignment == PortableServer::IdAssignmentPolicyValue::SYSTEM_ID;
  }
  [[nodiscard]] bool implicit_activation() const noexcept {
    return activation == PortableServer::ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION;
  }
  [[nodiscard]] bool retain() const noexcept {
    return retention == PortableServer::ServantRetentionPolicyValue::RETAIN;
  }
  [[nodiscard]] bool default_servant() const noexcept {
    return processing == PortableServer::RequestProcessingPolicyValue::USE_DEFAULT_SERVANT;
  }
  [[nodiscard]] bool servant_manager() const noexcept {
    return processing == PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER;
  }
  /// Whether a servant's object can be found, or made, by its servant.
  [[nodiscard]] bool finds_by_servant() const noexcept {
    return retain() && (unique_id() || implicit_activation());
  }
};

/// Raises POA::InvalidPolicy for a policy that is nil, unknown or not supported, or that
/// contradicts another policy. If there are two policies of one type, the later policy counts.
/// `hooks` may take policies that the POA does not know; null: none. The set has no components.
[[nodiscard]] PolicySet make_policy_set(const CORBA::PolicyList& policies,
                                        const AdapterHooks* hooks = nullptr);

/// The Root POA's: the defaults, and implicit activation.
[[nodiscard]] PolicySet root_policy_set() noexcept;

}  // namespace perigee::poa
