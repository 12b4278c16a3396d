// Makes policies from the value of an Any: a list of pairs, each a number and octets.
#pragma once

#include <perigee/orb/any.h>
#include <perigee/orb/policy.h>

namespace perigee::orb {

/// The value is an IOP::ServiceContextList.
[[nodiscard]] CORBA::object_reference<CORBA::Policy> make_service_context_policy(
    const CORBA::Any& any);
/// The value is an IOP::TaggedComponentSeq.
[[nodiscard]] CORBA::object_reference<CORBA::Policy> make_tagged_component_policy(
    const CORBA::Any& any);

}  // namespace perigee::orb
