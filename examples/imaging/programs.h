// The common part of the servers of this example: objects whose references outlive the process.
#pragma once

#include <perigee/corba.h>

#include <string>

/// Activates a servant under a reference that stays the same when the server is started again at
/// the same port (-ORBListenEndpoints). Returns the reference as text.
inline std::string activate(const CORBA::ORB::_ref_type& orb, const std::string& id,
                            CORBA::servant_reference<PortableServer::Servant> servant) {
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const CORBA::PolicyList policies{
      root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT),
      root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)};
  auto poa = root->create_POA("imaging", root->the_POAManager(), policies);
  const auto object_id = PortableServer::string_to_ObjectId(id);
  poa->activate_object_with_id(object_id, servant);
  root->the_POAManager()->activate();
  return orb->object_to_string(poa->id_to_reference(object_id));
}
