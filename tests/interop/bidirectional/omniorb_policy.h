// A POA of omniORB with the policy BOTH. At a client, its objects may be called over connections
// that the client has opened. At a server, references that its objects have received are called
// over the connection by which the references came.
#pragma once

#include <omniORB4/CORBA.h>

namespace interop {

inline PortableServer::POA_ptr make_bidirectional_poa(CORBA::ORB_ptr orb) {
  CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var root = PortableServer::POA::_narrow(object);
  PortableServer::POAManager_var manager = root->the_POAManager();
  manager->activate();
  CORBA::Any value;
  value <<= BiDirPolicy::BOTH;
  CORBA::PolicyList policies;
  policies.length(1);
  policies[0] = orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, value);
  return root->create_POA("both", manager, policies);
}

}  // namespace interop
