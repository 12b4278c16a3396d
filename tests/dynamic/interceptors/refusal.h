// The text of the exception with which a policy refuses its values.
#pragma once

#include <perigee/orb/policy.h>

#include <string>

namespace perigee::test {

/// Calls `make`. Returns the text of the exception that it raises, or "accepted".
template <typename Exception, typename Make>
std::string refusal(const Make& make) {
  try {
    (void)make();
  } catch (const Exception& exception) {
    return exception.detail();
  }
  return "accepted";
}

/// The reason and the text of a PolicyError, or "accepted".
template <typename Make>
std::string policy_error(const Make& make) {
  try {
    (void)make();
  } catch (const CORBA::PolicyError& error) {
    return std::to_string(error.reason()) + " " + error.detail();
  }
  return "accepted";
}

}  // namespace perigee::test
