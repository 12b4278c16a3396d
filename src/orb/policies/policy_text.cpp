// The names of all policies. Policies of adapters are listed by their standard numbers.
#include "orb/policies/policy_text.h"

#include <perigee/orb/bidirectional_policy.h>
#include <perigee/orb/buffering_policy.h>
#include <perigee/orb/connection_timeout_policy.h>
#include <perigee/orb/link_size_policy.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/protocol_policies.h>
#include <perigee/orb/security_policies.h>
#include <perigee/orb/service_context_policy.h>
#include <perigee/orb/tagged_component_policy.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace perigee::orb {

namespace {

// Source: CORBA 3.0, 11.4.9 (16 to 22).
constexpr std::array<std::pair<CORBA::PolicyType, std::string_view>, 25> names{{
    {Security::SecQOPPolicy, "QOPPolicy"},
    {Security::SecEstablishTrustPolicy, "EstablishTrustPolicy"},
    {16, "ThreadPolicy"},
    {17, "LifespanPolicy"},
    {18, "IdUniquenessPolicy"},
    {19, "IdAssignmentPolicy"},
    {20, "ImplicitActivationPolicy"},
    {21, "ServantRetentionPolicy"},
    {22, "RequestProcessingPolicy"},
    {Messaging::REBIND_POLICY_TYPE, "RebindPolicy"},
    {Messaging::SYNC_SCOPE_POLICY_TYPE, "SyncScopePolicy"},
    {Messaging::REQUEST_START_TIME_POLICY_TYPE, "RequestStartTimePolicy"},
    {Messaging::REPLY_START_TIME_POLICY_TYPE, "ReplyStartTimePolicy"},
    {Messaging::REQUEST_END_TIME_POLICY_TYPE, "RequestEndTimePolicy"},
    {Messaging::REPLY_END_TIME_POLICY_TYPE, "ReplyEndTimePolicy"},
    {Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE, "RelativeRequestTimeoutPolicy"},
    {Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, "RelativeRoundtripTimeoutPolicy"},
    {BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, "BidirectionalPolicy"},
    {RTCORBA::SERVER_PROTOCOL_POLICY_TYPE, "ServerProtocolPolicy"},
    {RTCORBA::CLIENT_PROTOCOL_POLICY_TYPE, "ClientProtocolPolicy"},
    {CONNECTION_TIMEOUT_POLICY_TYPE, "ConnectionTimeoutPolicy"},
    {BUFFERING_CONSTRAINT_POLICY_TYPE, "BufferingConstraintPolicy"},
    {LINK_SIZE_POLICY_TYPE, "LinkSizePolicy"},
    {SERVICE_CONTEXT_POLICY_TYPE, "ServiceContextPolicy"},
    {TAGGED_COMPONENT_POLICY_TYPE, "TaggedComponentPolicy"},
}};

}  // namespace

std::string policy_text(CORBA::PolicyType type) {
  const auto* const known =
      std::ranges::find(names, type, [](const auto& each) { return each.first; });
  if (known == names.end()) return "policy type " + std::to_string(type);
  return std::string(known->second) + " (type " + std::to_string(type) + ")";
}

}  // namespace perigee::orb
