// The components that IOR interceptors add to the references of one POA, and the POA's policies.
#pragma once

#include "dynamic/interceptors/orb_interceptors.h"
#include "orb/core/orb_core.h"
#include <perigee/dynamic/ior_interceptor.h>
#include <perigee/iop/ior.h>

#include <memory>
#include <vector>

namespace perigee::interceptors {

/// Immutable after `make`. Shared by the POA and the interceptors that look at it.
class AdapterComponents final : public orb::IorCompletion {
 public:
  /// Calls the interceptors. Raises OBJ_ADAPTER, OMG minor 6, if `components_established` throws.
  [[nodiscard]] static std::shared_ptr<const AdapterComponents> make(const OrbInterceptors& owner,
                                                                     const InterceptorLists& lists,
                                                                     CORBA::PolicyList policies,
                                                                     const poa::Manager& manager);

  void complete(iop::Ior& ior) const override;
  /// The policy that the application has given for this POA, or nil.
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> policy(CORBA::PolicyType type) const;
  void add(iop::TaggedComponent component) { components_.push_back(std::move(component)); }

 private:
  explicit AdapterComponents(CORBA::PolicyList policies) : policies_(std::move(policies)) {}

  const CORBA::PolicyList policies_;
  std::vector<iop::TaggedComponent> components_;
};

/// The view of a POA that IOR interceptors get.
class AdapterInfo final : public PortableInterceptor::IORInfo {
 public:
  AdapterInfo(const OrbInterceptors& owner, AdapterComponents& components,
              const poa::Manager& manager) noexcept
      : owner_(owner), components_(&components), manager_(manager) {}
  /// The components are complete: from now on, adding components raises BAD_INV_ORDER.
  void complete() noexcept { is_complete_ = true; }
  void end() noexcept { components_ = nullptr; }

  CORBA::object_reference<CORBA::Policy> get_effective_policy(CORBA::PolicyType type) override;
  void add_ior_component(const IOP::TaggedComponent& component) override;
  void add_ior_component_to_profile(const IOP::TaggedComponent& component,
                                    IOP::ProfileId profile_id) override;
  PortableInterceptor::AdapterManagerId manager_id() override;
  PortableInterceptor::AdapterState state() override;

 private:
  [[nodiscard]] AdapterComponents& components() const;

  const OrbInterceptors& owner_;
  AdapterComponents* components_;  // null when the interceptors have returned
  bool is_complete_ = false;
  const poa::Manager& manager_;  // valid while `components_` is not null
};

}  // namespace perigee::interceptors
