// Calls whose time is limited by a policy, and how they fail.
#pragma once

#include "conformance/orb_pair.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/messaging_policies.h>

#include <chrono>
#include <optional>

namespace perigee::test {

using namespace std::chrono_literals;

inline Echo::Ref limited(const OrbRef& orb, const Echo::Ref& echo,
                         std::chrono::milliseconds limit) {
  CORBA::Any value;
  value <<= static_cast<TimeBase::TimeT>(limit / 100ns);
  const auto policy = orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, value);
  return stub::interface_traits<Echo>::unchecked_narrow(
      echo->_set_policy_overrides({policy}, CORBA::SetOverrideType::SET_OVERRIDE));
}

/// How a call has failed; nothing if it has not.
struct Failed {
  bool is_timeout = false;
  CORBA::CompletionStatus completed = CORBA::COMPLETED_YES;
};
inline std::optional<Failed> failure_of(auto&& call) {
  try {
    call();
  } catch (const CORBA::TIMEOUT& exception) {
    return Failed{true, exception.completed()};
  } catch (const CORBA::SystemException& exception) {
    return Failed{false, exception.completed()};
  }
  return std::nullopt;
}

}  // namespace perigee::test
