// ORB::create_policy for the POA's policies.
#pragma once

namespace perigee::orb {
class OrbCore;
}

namespace perigee::poa {

void add_policy_factories(orb::OrbCore& core);

}  // namespace perigee::poa
