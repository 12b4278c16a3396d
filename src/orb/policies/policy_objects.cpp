// PolicyManager, PolicyCurrent and RTORB of one ORB, and the policies that are made from values of
// an Any.
#include "orb/policies/policy_objects.h"

#include "orb/policies/client_policies.h"
#include "orb/policies/list_policies.h"
#include "orb/values/any_value.h"
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/operators.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/bidirectional_policy.h>
#include <perigee/orb/buffering_policy.h>
#include <perigee/orb/connection_timeout_policy.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/policy_manager.h>
#include <perigee/orb/protocol_policies.h>
#include <perigee/orb/service_context_policy.h>
#include <perigee/orb/tagged_component_policy.h>

#include <bit>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

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
  const std::shared_ptr<ClientPolicies> policies_;  // shared with the core, which may end first
  std::mutex setting_;                              // held from reading the list to replacing it
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
  const std::shared_ptr<ClientPolicies> policies_;  // shared with the core, which may end first
};

template <typename T>
const char* type_needed() noexcept {
  if (std::is_same_v<T, TimeBase::TimeT>)
    return "a TimeBase::TimeT is needed: an unsigned 64-bit number of units of 100 ns";
  return std::is_same_v<T, std::int16_t>
             ? "a 16-bit number is needed: a Messaging::SyncScope or a Messaging::RebindMode"
             : "a BiDirPolicy::BidirectionalPolicyValue is needed: an unsigned 16-bit number";
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
                                 " is not a SyncScope; pass 0 (SYNC_NONE) to "
                                 "3 (SYNC_WITH_TARGET)");
  return PolicyRef(perigee::make_counted<Messaging::SyncScopePolicy>(scope));
}

PolicyRef make_rebind(const CORBA::Any& any) {
  const auto mode = value_of<Messaging::RebindMode>(any);
  if (mode == Messaging::NO_RECONNECT)
    throw CORBA::PolicyError(
        CORBA::UNSUPPORTED_POLICY_VALUE,
        "NO_RECONNECT is not supported, since references and threads share connections, and the "
        "ORB closes idle ones; pass 0 (TRANSPARENT) or 1 (NO_REBIND)");
  if (mode < Messaging::TRANSPARENT || mode > Messaging::NO_RECONNECT)
    throw CORBA::PolicyError(
        CORBA::BAD_POLICY_VALUE,
        std::to_string(mode) + " is not a RebindMode; pass 0 (TRANSPARENT) or 1 (NO_REBIND)");
  return PolicyRef(perigee::make_counted<Messaging::RebindPolicy>(mode));
}

// The first member of TimeBase::UtcT. The class of the struct belongs to the application, which
// compiles TimeBase.idl.
TimeBase::TimeT time_of(const CORBA::Any& any) {
  if (any.type()->_node()->id != "IDL:omg.org/TimeBase/UtcT:1.0")
    throw CORBA::PolicyError(CORBA::BAD_POLICY_TYPE, "a TimeBase::UtcT is needed");
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  any::encode_value(encoder, any);
  const Octets octets = buffer.flatten();
  cdr::Decoder decoder(octets, std::endian::native);
  TimeBase::TimeT time = 0;
  decoder >> time;
  if (!encoder.ok() || !decoder.ok())
    throw CORBA::PolicyError(CORBA::BAD_POLICY_TYPE, "the TimeBase::UtcT has other members");
  return time;
}

template <typename Policy>
PolicyRef make_end_time(const CORBA::Any& any) {
  return PolicyRef(perigee::make_counted<Policy>(time_of(any)));
}

PolicyRef refuse_start_time(const CORBA::Any& /*any*/) {
  throw CORBA::PolicyError(
      CORBA::UNSUPPORTED_POLICY,
      "start times are for routers, which store requests and replies; this ORB sends a request at "
      "once, so begin the call at that time, and limit it by an end time");
}

PolicyRef make_bidirectional(const CORBA::Any& any) {
  const auto value = value_of<BiDirPolicy::BidirectionalPolicyValue>(any);
  if (value != BiDirPolicy::NORMAL && value != BiDirPolicy::BOTH)
    throw CORBA::PolicyError(CORBA::BAD_POLICY_VALUE,
                             std::to_string(value) +
                                 " is not a BidirectionalPolicyValue; pass 0 (NORMAL) or "
                                 "1 (BOTH)");
  return PolicyRef(perigee::make_counted<BiDirPolicy::BidirectionalPolicy>(value));
}

PolicyRef make_buffering(const CORBA::Any& any) {
  BufferingConstraint constraint;
  if (!(any >>= constraint))
    throw CORBA::PolicyError(CORBA::BAD_POLICY_TYPE, "a perigee::BufferingConstraint is needed");
  return make_buffering_constraint(constraint);
}

constexpr ClientPolicyFactory factories[] = {
    {Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, make_roundtrip_timeout},
    {Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE, make_request_timeout},
    {CONNECTION_TIMEOUT_POLICY_TYPE, make_connection_timeout},
    {Messaging::REBIND_POLICY_TYPE, make_rebind},
    {Messaging::REQUEST_START_TIME_POLICY_TYPE, refuse_start_time},
    {Messaging::REPLY_START_TIME_POLICY_TYPE, refuse_start_time},
    {Messaging::REQUEST_END_TIME_POLICY_TYPE, make_end_time<Messaging::RequestEndTimePolicy>},
    {Messaging::REPLY_END_TIME_POLICY_TYPE, make_end_time<Messaging::ReplyEndTimePolicy>},
    {Messaging::SYNC_SCOPE_POLICY_TYPE, make_sync_scope},
    {BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, make_bidirectional},
    {SERVICE_CONTEXT_POLICY_TYPE, make_service_context_policy},
    {TAGGED_COMPONENT_POLICY_TYPE, make_tagged_component_policy},
    {BUFFERING_CONSTRAINT_POLICY_TYPE, make_buffering},
};

}  // namespace

std::span<const ClientPolicyFactory> client_policy_factories() noexcept { return factories; }

PolicyObjects make_policy_objects(const std::shared_ptr<ClientPolicies>& policies) {
  return {ObjectRef(perigee::make_counted<OrbPolicyManager>(policies)),
          ObjectRef(perigee::make_counted<ThreadPolicyCurrent>(policies)),
          ObjectRef(perigee::make_counted<RTCORBA::RTORB>())};
}

}  // namespace perigee::orb
