// The client's policies as applications see them: PolicyManager, PolicyCurrent, and the policies of
// module Messaging.
#include "orb/client/endpoint_table.h"
#include "orb/core/orb_core.h"
#include "orb/policies/client_policies.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/buffering_policy.h>
#include <perigee/orb/connection_timeout_policy.h>
#include <perigee/orb/orb.h>
#include <perigee/orb/policy_manager.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

Current::~Current() = default;
PolicyManager::~PolicyManager() = default;
PolicyCurrent::~PolicyCurrent() = default;

bool PolicyManager::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id;
}

bool PolicyCurrent::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || repository_id == Current::_type_id ||
         PolicyManager::_implements(repository_id);
}

}  // namespace perigee_v1
}  // namespace CORBA

namespace Messaging {
inline namespace perigee_v1 {

using CORBA::Policy;

RelativeRoundtripTimeoutPolicy::~RelativeRoundtripTimeoutPolicy() = default;

CORBA::PolicyType RelativeRoundtripTimeoutPolicy::policy_type() const noexcept {
  return RELATIVE_RT_TIMEOUT_POLICY_TYPE;
}

CORBA::object_reference<Policy> RelativeRoundtripTimeoutPolicy::copy() const {
  return CORBA::object_reference<Policy>(
      perigee::make_counted<RelativeRoundtripTimeoutPolicy>(expiry_));
}

bool RelativeRoundtripTimeoutPolicy::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || repository_id == Policy::_type_id;
}

RelativeRequestTimeoutPolicy::~RelativeRequestTimeoutPolicy() = default;

CORBA::PolicyType RelativeRequestTimeoutPolicy::policy_type() const noexcept {
  return RELATIVE_REQ_TIMEOUT_POLICY_TYPE;
}

CORBA::object_reference<Policy> RelativeRequestTimeoutPolicy::copy() const {
  return CORBA::object_reference<Policy>(
      perigee::make_counted<RelativeRequestTimeoutPolicy>(expiry_));
}

bool RelativeRequestTimeoutPolicy::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || repository_id == Policy::_type_id;
}

SyncScopePolicy::~SyncScopePolicy() = default;

CORBA::PolicyType SyncScopePolicy::policy_type() const noexcept { return SYNC_SCOPE_POLICY_TYPE; }

CORBA::object_reference<Policy> SyncScopePolicy::copy() const {
  return CORBA::object_reference<Policy>(perigee::make_counted<SyncScopePolicy>(scope_));
}

bool SyncScopePolicy::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || repository_id == Policy::_type_id;
}

}  // namespace perigee_v1
}  // namespace Messaging

namespace perigee {

using CORBA::Policy;

ConnectionTimeoutPolicy::~ConnectionTimeoutPolicy() = default;

CORBA::PolicyType ConnectionTimeoutPolicy::policy_type() const noexcept {
  return CONNECTION_TIMEOUT_POLICY_TYPE;
}

CORBA::object_reference<Policy> ConnectionTimeoutPolicy::copy() const {
  return CORBA::object_reference<Policy>(make_counted<ConnectionTimeoutPolicy>(expiry_));
}

bool ConnectionTimeoutPolicy::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || repository_id == Policy::_type_id;
}

BufferingConstraintPolicy::~BufferingConstraintPolicy() = default;

CORBA::PolicyType BufferingConstraintPolicy::policy_type() const noexcept {
  return BUFFERING_CONSTRAINT_POLICY_TYPE;
}

CORBA::object_reference<Policy> BufferingConstraintPolicy::copy() const {
  return make_buffering_constraint(constraint_);
}

bool BufferingConstraintPolicy::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || repository_id == Policy::_type_id;
}

CORBA::object_reference<Policy> make_buffering_constraint(const BufferingConstraint& constraint) {
  return CORBA::object_reference<Policy>(make_counted<BufferingConstraintPolicy>(constraint));
}

void flush_oneways(CORBA::ORB& orb) {
  const orb::FlushResult result = orb._core()->endpoints().flush();
  if (result.lost != 0)
    throw CORBA::COMM_FAILURE(0, CORBA::COMPLETED_MAYBE,
                              std::to_string(result.lost) + " buffered oneways are lost");
  if (result.waiting != 0)
    throw CORBA::TIMEOUT(0, CORBA::COMPLETED_MAYBE,
                         std::to_string(result.waiting) + " buffered oneways still wait");
}

}  // namespace perigee

namespace perigee::orb {

namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;
using PolicyRef = CORBA::object_reference<CORBA::Policy>;

CORBA::PolicyList list(const std::shared_ptr<const PolicyOverrides>& overrides,
                       const CORBA::PolicyTypeSeq& types) {
  return overrides ? overrides->list(types) : CORBA::PolicyList{};
}

class OrbPolicyManager final : public CORBA::PolicyManager {
 public:
  explicit OrbPolicyManager(std::shared_ptr<ClientPolicies> policies) noexcept
      : policies_(std::move(policies)) {}

  [[nodiscard]] CORBA::PolicyList get_policy_overrides(const CORBA::PolicyTypeSeq& types) override {
    return list(policies_->of_orb(), types);
  }
  void set_policy_overrides(const CORBA::PolicyList& policies,
                            CORBA::SetOverrideType set_add) override {
    const std::lock_guard lock(setting_);
    policies_->set_of_orb(
        override_policies(policies_->of_orb().get(), policies, set_add, PolicyLevel::orb));
  }

 private:
  const std::shared_ptr<ClientPolicies> policies_;  // shared with the core, which may go first
  std::mutex setting_;                              // held from looking at the list to replacing it
};

class ThreadPolicyCurrent final : public CORBA::PolicyCurrent {
 public:
  explicit ThreadPolicyCurrent(std::shared_ptr<ClientPolicies> policies) noexcept
      : policies_(std::move(policies)) {}

  [[nodiscard]] CORBA::PolicyList get_policy_overrides(const CORBA::PolicyTypeSeq& types) override {
    return list(policies_->of_thread(), types);
  }
  void set_policy_overrides(const CORBA::PolicyList& policies,
                            CORBA::SetOverrideType set_add) override {
    policies_->set_of_thread(
        override_policies(policies_->of_thread().get(), policies, set_add, PolicyLevel::thread));
  }

 private:
  const std::shared_ptr<ClientPolicies> policies_;  // shared with the core, which may go first
};

template <typename T>
const char* type_needed() noexcept {
  return std::is_same_v<T, TimeBase::TimeT>
             ? "a TimeBase::TimeT is needed: an unsigned 64-bit number of units of 100 ns"
             : "a Messaging::SyncScope is needed: a 16-bit number";
}

template <typename T>
T value_of(const CORBA::Any& any) {
  T value{};
  if (!(any >>= value)) throw CORBA::PolicyError(CORBA::BAD_POLICY_TYPE, type_needed<T>());
  return value;
}

PolicyRef make_roundtrip_timeout(const CORBA::Any& any) {
  return PolicyRef(perigee::make_counted<Messaging::RelativeRoundtripTimeoutPolicy>(
      value_of<TimeBase::TimeT>(any)));
}

PolicyRef make_request_timeout(const CORBA::Any& any) {
  return PolicyRef(perigee::make_counted<Messaging::RelativeRequestTimeoutPolicy>(
      value_of<TimeBase::TimeT>(any)));
}

PolicyRef make_connection_timeout(const CORBA::Any& any) {
  return PolicyRef(make_counted<ConnectionTimeoutPolicy>(value_of<TimeBase::TimeT>(any)));
}

PolicyRef make_sync_scope(const CORBA::Any& any) {
  const auto scope = value_of<Messaging::SyncScope>(any);
  if (scope < Messaging::SYNC_NONE || scope > Messaging::SYNC_WITH_TARGET)
    throw CORBA::PolicyError(CORBA::BAD_POLICY_VALUE,
                             std::to_string(scope) +
                                 " is no SyncScope; there are 0 (SYNC_NONE) to "
                                 "3 (SYNC_WITH_TARGET)");
  return PolicyRef(perigee::make_counted<Messaging::SyncScopePolicy>(scope));
}

}  // namespace

void install_client_policies(OrbCore& core, const std::shared_ptr<ClientPolicies>& policies) {
  ObjectRef manager(perigee::make_counted<OrbPolicyManager>(policies));
  ObjectRef current(perigee::make_counted<ThreadPolicyCurrent>(policies));
  core.add_initial_reference("ORBPolicyManager", [manager] { return manager; });
  core.add_initial_reference("PolicyCurrent", [current] { return current; });
  core.add_policy_factory(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, make_roundtrip_timeout);
  core.add_policy_factory(Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE, make_request_timeout);
  core.add_policy_factory(CONNECTION_TIMEOUT_POLICY_TYPE, make_connection_timeout);
  core.add_policy_factory(Messaging::SYNC_SCOPE_POLICY_TYPE, make_sync_scope);
}

}  // namespace perigee::orb
