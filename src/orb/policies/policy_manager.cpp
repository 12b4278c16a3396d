// The interfaces PolicyManager and PolicyCurrent, and the policy classes of calls: functions that
// are not in the headers.
#include <perigee/orb/bidirectional_policy.h>
#include <perigee/orb/buffering_policy.h>
#include <perigee/orb/connection_timeout_policy.h>
#include <perigee/orb/link_size_policy.h>
#include <perigee/orb/policy_manager.h>

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

ReplyEndTimePolicy::~ReplyEndTimePolicy() = default;

CORBA::PolicyType ReplyEndTimePolicy::policy_type() const noexcept {
  return REPLY_END_TIME_POLICY_TYPE;
}

CORBA::object_reference<Policy> ReplyEndTimePolicy::copy() const {
  return CORBA::object_reference<Policy>(perigee::make_counted<ReplyEndTimePolicy>(end_time_));
}

bool ReplyEndTimePolicy::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || repository_id == Policy::_type_id;
}

RequestEndTimePolicy::~RequestEndTimePolicy() = default;

CORBA::PolicyType RequestEndTimePolicy::policy_type() const noexcept {
  return REQUEST_END_TIME_POLICY_TYPE;
}

CORBA::object_reference<Policy> RequestEndTimePolicy::copy() const {
  return CORBA::object_reference<Policy>(perigee::make_counted<RequestEndTimePolicy>(end_time_));
}

bool RequestEndTimePolicy::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || repository_id == Policy::_type_id;
}

RebindPolicy::~RebindPolicy() = default;

CORBA::PolicyType RebindPolicy::policy_type() const noexcept { return REBIND_POLICY_TYPE; }

CORBA::object_reference<Policy> RebindPolicy::copy() const {
  return CORBA::object_reference<Policy>(perigee::make_counted<RebindPolicy>(mode_));
}

bool RebindPolicy::_implements(std::string_view repository_id) const noexcept {
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

namespace BiDirPolicy {
inline namespace perigee_v1 {

using CORBA::Policy;

BidirectionalPolicy::~BidirectionalPolicy() = default;

CORBA::PolicyType BidirectionalPolicy::policy_type() const noexcept {
  return BIDIRECTIONAL_POLICY_TYPE;
}

CORBA::object_reference<Policy> BidirectionalPolicy::copy() const {
  return CORBA::object_reference<Policy>(perigee::make_counted<BidirectionalPolicy>(value_));
}

bool BidirectionalPolicy::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || repository_id == Policy::_type_id;
}

}  // namespace perigee_v1
}  // namespace BiDirPolicy

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

LinkSizePolicy::~LinkSizePolicy() = default;

CORBA::PolicyType LinkSizePolicy::policy_type() const noexcept { return LINK_SIZE_POLICY_TYPE; }

CORBA::object_reference<Policy> LinkSizePolicy::copy() const {
  return CORBA::object_reference<Policy>(make_counted<LinkSizePolicy>(size_min_));
}

bool LinkSizePolicy::_implements(std::string_view repository_id) const noexcept {
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

}  // namespace perigee
