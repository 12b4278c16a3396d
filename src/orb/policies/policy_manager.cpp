// The interfaces PolicyManager and PolicyCurrent, and the policy classes of calls: functions that
// are not in the headers.
#include "orb/policies/define_policy.h"
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

PERIGEE_DEFINE_CALL_POLICY(RelativeRoundtripTimeoutPolicy, RELATIVE_RT_TIMEOUT_POLICY_TYPE, expiry_)
PERIGEE_DEFINE_CALL_POLICY(RelativeRequestTimeoutPolicy, RELATIVE_REQ_TIMEOUT_POLICY_TYPE, expiry_)
PERIGEE_DEFINE_CALL_POLICY(ReplyEndTimePolicy, REPLY_END_TIME_POLICY_TYPE, end_time_)
PERIGEE_DEFINE_CALL_POLICY(RequestEndTimePolicy, REQUEST_END_TIME_POLICY_TYPE, end_time_)
PERIGEE_DEFINE_CALL_POLICY(RebindPolicy, REBIND_POLICY_TYPE, mode_)
PERIGEE_DEFINE_CALL_POLICY(SyncScopePolicy, SYNC_SCOPE_POLICY_TYPE, scope_)

}  // namespace perigee_v1
}  // namespace Messaging

namespace BiDirPolicy {
inline namespace perigee_v1 {

PERIGEE_DEFINE_CALL_POLICY(BidirectionalPolicy, BIDIRECTIONAL_POLICY_TYPE, value_)

}  // namespace perigee_v1
}  // namespace BiDirPolicy

namespace perigee {

PERIGEE_DEFINE_CALL_POLICY(ConnectionTimeoutPolicy, CONNECTION_TIMEOUT_POLICY_TYPE, expiry_)
PERIGEE_DEFINE_CALL_POLICY(LinkSizePolicy, LINK_SIZE_POLICY_TYPE, size_min_)
PERIGEE_DEFINE_CALL_POLICY(BufferingConstraintPolicy, BUFFERING_CONSTRAINT_POLICY_TYPE, constraint_)

CORBA::object_reference<CORBA::Policy> make_buffering_constraint(
    const BufferingConstraint& constraint) {
  return CORBA::object_reference<CORBA::Policy>(
      make_counted<BufferingConstraintPolicy>(constraint));
}

}  // namespace perigee
