// Limits the time of calls by a policy, the round-trip time-out of the ORB.
#include "call_limit.h"

#include <perigee/base/printable.h>
#include <perigee/corba.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/policy_manager.h>

#include <sstream>
#include <string>

namespace perigee::tool {

void limit_calls(CORBA::ORB& orb, double seconds) {
  CORBA::Any limit;
  limit <<= static_cast<TimeBase::TimeT>(seconds * 1e7);
  const auto policy = orb.create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit);
  IDL::traits<CORBA::PolicyManager>::narrow(orb.resolve_initial_references("ORBPolicyManager"))
      ->set_policy_overrides({policy}, CORBA::SetOverrideType::ADD_OVERRIDE);
}

std::chrono::milliseconds to_milliseconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(seconds));
}

CLI::Validator time_limit(NoLimit zero) {
  constexpr double least = 0.001;
  constexpr double most = 1e6;
  const auto check = [zero](const std::string& text) -> std::string {
    double seconds = 0;
    const bool is_number = CLI::detail::lexical_cast(text, seconds);
    const bool in_range = seconds >= least && seconds <= most;  // refuses NaN, too
    const bool is_zero = zero == NoLimit::allowed && seconds == 0;
    if (is_number && (is_zero || in_range)) return {};
    std::ostringstream why;
    why << '\'' << printable(text) << "' is not a time limit; write a number of seconds from "
        << least << " to " << most << (zero == NoLimit::allowed ? ", or 0 for no limit" : "");
    return why.str();
  };
  return {check, "SECONDS"};
}

}  // namespace perigee::tool
