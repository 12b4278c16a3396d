// Levels of policies. Thread storage holds the thread's own policies, and the effective policies of
// the thread and the ORB. So reading them needs no lock.
#include "orb/policies/client_policies.h"

#include "orb/policies/policy_text.h"
#include "orb/values/system_exceptions.h"
#include <perigee/orb/bidirectional_policy.h>
#include <perigee/orb/buffering_policy.h>
#include <perigee/orb/connection_timeout_policy.h>
#include <perigee/orb/link_size_policy.h>
#include <perigee/orb/security_policies.h>

#include <algorithm>
#include <ratio>
#include <string>
#include <utility>
#include <vector>

namespace perigee::orb {

namespace {

std::uint64_t next_number() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// A limit that is too long for the clock counts as no limit.
std::chrono::microseconds microseconds_of(TimeBase::TimeT limit) noexcept {
  constexpr TimeBase::TimeT longest = TimeBase::TimeT{1} << 56;  // more than 200 years
  if (limit > longest) return {};
  return std::chrono::microseconds((limit + 9) / 10);
}

// The time that is left until an absolute time, as a limit: negative if that time has passed, since
// zero means no limit.
std::chrono::microseconds left_until(TimeBase::TimeT end) noexcept {
  const TimeBase::TimeT present = units_since_1582(std::chrono::system_clock::now());
  return end <= present ? std::chrono::microseconds(-1) : microseconds_of(end - present);
}

// The earlier of two limits; zero: none.
std::chrono::microseconds earlier(std::chrono::microseconds limit,
                                  std::optional<TimeBase::TimeT> end) noexcept {
  if (!end) return limit;
  const std::chrono::microseconds left = left_until(*end);
  return limit.count() == 0 || (left.count() != 0 && left < limit) ? left : limit;
}

BufferingLimits limits_of(const BufferingConstraint& constraint) noexcept {
  return {.count = constraint.message_count,
          .octets = constraint.message_bytes,
          .timeout = microseconds_of(constraint.timeout)};
}

// False if the policy cannot be set at this level, or if the ORB does not know its class.
bool read_value(const CORBA::Policy& policy, CallPolicies& values, PolicyLevel level) {
  if (const auto* timeout = dynamic_cast<const Messaging::RelativeRoundtripTimeoutPolicy*>(&policy))
    values.roundtrip_timeout = timeout->relative_expiry();
  else if (const auto* request =
               dynamic_cast<const Messaging::RelativeRequestTimeoutPolicy*>(&policy))
    values.request_timeout = request->relative_expiry();
  else if (const auto* connection = dynamic_cast<const ConnectionTimeoutPolicy*>(&policy))
    values.connection_timeout = connection->relative_expiry();
  else if (const auto* reply = dynamic_cast<const Messaging::ReplyEndTimePolicy*>(&policy))
    values.reply_end = reply->end_time();
  else if (const auto* sent = dynamic_cast<const Messaging::RequestEndTimePolicy*>(&policy))
    values.request_end = sent->end_time();
  else if (const auto* rebind = dynamic_cast<const Messaging::RebindPolicy*>(&policy))
    values.no_rebind = rebind->rebind_mode() != Messaging::TRANSPARENT;
  else if (const auto* scope = dynamic_cast<const Messaging::SyncScopePolicy*>(&policy))
    values.sync_scope = scope->synchronization();
  else if (const auto* buffering = dynamic_cast<const BufferingConstraintPolicy*>(&policy))
    values.buffering = limits_of(buffering->buffering_constraint());
  else if (const auto* link = dynamic_cast<const LinkSizePolicy*>(&policy))
    values.link_size_min = link->link_size_min();
  else if (const auto* both = dynamic_cast<const BiDirPolicy::BidirectionalPolicy*>(&policy))
    values.bidirectional = both->value() == BiDirPolicy::BOTH;
  else if (const auto* client = dynamic_cast<const RTCORBA::ClientProtocolPolicy*>(&policy))
    values.protocols = std::make_shared<const ProtocolPreference>(client->protocols());
  else if (const auto* protection = dynamic_cast<const SecurityLevel2::QOPPolicy*>(&policy))
    values.is_protected = protection->qop() != Security::QOP::SecQOPNoProtection;
  else if (const auto* trust = dynamic_cast<const SecurityLevel2::EstablishTrustPolicy*>(&policy))
    values.trusts_target = trust->trust().trust_in_target;
  else if (dynamic_cast<const ServiceContextPolicy*>(&policy) != nullptr)
    return true;  // has no value here: see PolicyOverrides::contexts
  else if (const auto* server = dynamic_cast<const RTCORBA::ServerProtocolPolicy*>(&policy);
           server != nullptr && level == PolicyLevel::orb)
    values.server_protocols = std::make_shared<const ProtocolPreference>(server->protocols());
  else
    return false;
  return true;
}

std::string why_unusable(const CORBA::object_reference<CORBA::Policy>& policy) {
  if (!policy) return "is nil";
  const CORBA::PolicyType type = policy->policy_type();
  return policy_text(type) + (type == RTCORBA::SERVER_PROTOCOL_POLICY_TYPE
                                  ? ", can only be set for the ORB or given to create_POA"
                                  : ", is not a policy of calls");
}

void check_usable(const CORBA::PolicyList& policies, PolicyLevel level) {
  std::vector<std::uint16_t> bad;
  std::string why;
  CallPolicies values;
  for (std::size_t index = 0; index < policies.size(); ++index) {
    if (policies[index] && read_value(*policies[index], values, level)) continue;
    bad.push_back(static_cast<std::uint16_t>(index));
    why += (why.empty() ? "" : "; ") + std::string("number ") + std::to_string(index) + ", " +
           why_unusable(policies[index]);
  }
  if (!bad.empty()) throw CORBA::InvalidPolicies(std::move(bad), std::move(why));
}

void check_distinct(const CORBA::PolicyList& policies) {
  std::vector<CORBA::PolicyType> types;
  for (const auto& policy : policies) types.push_back(policy->policy_type());
  std::ranges::sort(types);
  if (std::ranges::adjacent_find(types) != types.end())
    throw CORBA::BAD_PARAM(minor_policy_twice, CORBA::COMPLETED_NO, "two policies of one type");
}

}  // namespace

// The clock counts nanoseconds since 1970 in 64 bits, so its times are in the years 1677 to 2262.
TimeBase::TimeT units_since_1582(std::chrono::system_clock::time_point time) noexcept {
  using Units = std::chrono::duration<std::int64_t, std::ratio<1, 10'000'000>>;
  constexpr std::int64_t year_1970 = 0x01b2'1dd2'1381'4000;
  const auto since_1970 = std::chrono::floor<Units>(time.time_since_epoch());
  return static_cast<TimeBase::TimeT>(since_1970.count() + year_1970);
}

void CallPolicies::complete_with(const CallPolicies& outer) noexcept {
  if (!roundtrip_timeout) roundtrip_timeout = outer.roundtrip_timeout;
  if (!request_timeout) request_timeout = outer.request_timeout;
  if (!connection_timeout) connection_timeout = outer.connection_timeout;
  if (!reply_end) reply_end = outer.reply_end;
  if (!request_end) request_end = outer.request_end;
  if (!no_rebind) no_rebind = outer.no_rebind;
  if (!sync_scope) sync_scope = outer.sync_scope;
  if (!buffering) buffering = outer.buffering;
  if (!link_size_min) link_size_min = outer.link_size_min;
  if (!bidirectional) bidirectional = outer.bidirectional;
  if (!protocols) protocols = outer.protocols;
  if (!is_protected) is_protected = outer.is_protected;
  if (!trusts_target) trusts_target = outer.trusts_target;
}

// The policies of security restrict those of protocols, at whichever level each is set. Trust in
// the server needs a protocol that proves its identity.
std::shared_ptr<const ProtocolPreference> CallPolicies::preference() const {
  if (!is_protected && !trusts_target) [[likely]]
    return protocols;
  return ProtocolPreference::secured(
      protocols, {.is_protected = is_protected.value_or(false) || trusts_target.value_or(false),
                  .verifies = trusts_target});
}

std::chrono::microseconds CallPolicies::time_limit() const noexcept {
  return earlier(microseconds_of(roundtrip_timeout.value_or(0)), reply_end);
}

std::chrono::microseconds CallPolicies::send_limit() const noexcept {
  return earlier(microseconds_of(request_timeout.value_or(0)), request_end);
}

std::optional<std::chrono::milliseconds> CallPolicies::connect_limit() const noexcept {
  if (!connection_timeout) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(microseconds_of(*connection_timeout));
}

CORBA::PolicyList PolicyOverrides::list(const CORBA::PolicyTypeSeq& types) const {
  if (types.empty()) return policies_;
  CORBA::PolicyList found;
  for (const auto& policy : policies_)
    if (std::ranges::find(types, policy->policy_type()) != types.end()) found.push_back(policy);
  return found;
}

CORBA::object_reference<CORBA::Policy> PolicyOverrides::find(CORBA::PolicyType type) const {
  for (const auto& policy : policies_)
    if (policy->policy_type() == type) return policy;
  return nullptr;
}

std::shared_ptr<const PolicyOverrides> override_policies(const PolicyOverrides* existing,
                                                         const CORBA::PolicyList& policies,
                                                         CORBA::SetOverrideType set_add,
                                                         PolicyLevel level) {
  check_usable(policies, level);
  check_distinct(policies);
  auto made = std::make_shared<PolicyOverrides>();
  made->policies_ = policies;
  if (existing != nullptr && set_add == CORBA::SetOverrideType::ADD_OVERRIDE)
    for (const auto& policy : existing->policies_)
      if (!made->find(policy->policy_type())) made->policies_.push_back(policy);
  if (made->policies_.empty()) return nullptr;
  for (const auto& policy : made->policies_) {
    (void)read_value(*policy, made->values_, level);
    if (auto contexts = dynamic_counted_cast<ServiceContextPolicy>(policy._shared()))
      made->contexts_ = CORBA::object_reference<ServiceContextPolicy>(std::move(contexts));
  }
  return made;
}

bool is_client_policy(CORBA::PolicyType type) noexcept {
  return type == Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE ||
         type == Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE ||
         type == Messaging::REPLY_END_TIME_POLICY_TYPE ||
         type == Messaging::REQUEST_END_TIME_POLICY_TYPE || type == Messaging::REBIND_POLICY_TYPE ||
         type == Messaging::SYNC_SCOPE_POLICY_TYPE || type == CONNECTION_TIMEOUT_POLICY_TYPE ||
         type == BUFFERING_CONSTRAINT_POLICY_TYPE || type == LINK_SIZE_POLICY_TYPE ||
         type == SERVICE_CONTEXT_POLICY_TYPE || type == BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE ||
         type == RTCORBA::CLIENT_PROTOCOL_POLICY_TYPE || type == Security::SecQOPPolicy ||
         type == Security::SecEstablishTrustPolicy;
}

struct ClientPolicies::ThreadLevel {
  std::uint64_t number = 0;  // of the ORB's ClientPolicies
  std::weak_ptr<const ClientPolicies> owner;
  std::shared_ptr<const PolicyOverrides> overrides;
  std::optional<CallPolicies> effective;  // until the thread's level changes
  std::uint64_t changes = 0;              // of the ORB's level, when `effective` was made
  CORBA::object_reference<ServiceContextPolicy> contexts;  // made with `effective`
};

ClientPolicies::ClientPolicies(bool in_use) : number_(next_number()), in_use_(in_use) {}

std::vector<ClientPolicies::ThreadLevel>& ClientPolicies::thread_levels() {
  thread_local std::vector<ThreadLevel> levels;
  return levels;
}

ClientPolicies::ThreadLevel* ClientPolicies::find_thread_level() const {
  for (ThreadLevel& level : thread_levels())
    if (level.number == number_) return &level;
  return nullptr;
}

// Removes the levels of ORBs that no longer exist.
ClientPolicies::ThreadLevel& ClientPolicies::make_thread_level() {
  if (ThreadLevel* const level = find_thread_level()) return *level;
  auto& levels = thread_levels();
  std::erase_if(levels, [](const ThreadLevel& level) { return level.owner.expired(); });
  ThreadLevel& level = levels.emplace_back();
  level.number = number_;
  level.owner = weak_from_this();
  return level;
}

// Small, so that it becomes a part of both callers: calls with policies use it.
inline ClientPolicies::ThreadLevel& ClientPolicies::effective_level() {
  ThreadLevel& level = make_thread_level();
  const std::uint64_t changes = changes_.load(std::memory_order_acquire);
  if (!level.effective || level.changes != changes) renew(level, changes);
  return level;
}

void ClientPolicies::renew(ThreadLevel& level, std::uint64_t changes) const {
  const auto orb = of_orb();
  level.effective = level.overrides ? level.overrides->values() : CallPolicies{};
  level.contexts = level.overrides ? level.overrides->contexts() : nullptr;
  if (orb) {
    level.effective->complete_with(orb->values());
    if (!level.contexts) level.contexts = orb->contexts();
  }
  level.changes = changes;
}

CallPolicies ClientPolicies::effective() { return *effective_level().effective; }

CORBA::object_reference<ServiceContextPolicy> ClientPolicies::effective_contexts() {
  return effective_level().contexts;
}

std::shared_ptr<const PolicyOverrides> ClientPolicies::of_orb() const {
  const std::lock_guard lock(mutex_);
  return of_orb_;
}

void ClientPolicies::set_of_orb(std::shared_ptr<const PolicyOverrides> overrides) {
  if (overrides && overrides->contexts()) use_contexts();
  auto bidirectional = Bidirectional::unset;
  if (overrides && overrides->values().bidirectional)
    bidirectional =
        *overrides->values().bidirectional ? Bidirectional::both : Bidirectional::normal;
  {
    const std::lock_guard lock(mutex_);
    bidirectional_.store(bidirectional, std::memory_order_relaxed);
    of_orb_.swap(overrides);
  }
  changes_.fetch_add(1, std::memory_order_release);
  in_use_.store(true);
}

std::shared_ptr<const PolicyOverrides> ClientPolicies::of_thread() const {
  const ThreadLevel* const level = find_thread_level();
  return level != nullptr ? level->overrides : nullptr;
}

void ClientPolicies::set_of_thread(std::shared_ptr<const PolicyOverrides> overrides) {
  if (overrides && overrides->contexts()) use_contexts();
  ThreadLevel& level = make_thread_level();
  level.overrides = std::move(overrides);
  level.effective.reset();
  in_use_.store(true);
}

}  // namespace perigee::orb
