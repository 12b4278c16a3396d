// Making, listing and finding the POA managers of an ORB. CORBA 3.1, 15.3.3.
#include "poa/manager_factory.h"

#include "poa/adapter_host.h"
#include "poa/manager.h"
#include "poa/manager_table.h"
#include <perigee/orb/policy.h>

namespace perigee::poa {

using PortableServer::POAManager;

CORBA::object_reference<POAManager> ManagerFactory::create_POAManager(
    const std::string& id, const CORBA::PolicyList& policies) {
  (void)host_->core();
  if (!policies.empty())
    throw CORBA::PolicyError(CORBA::UNSUPPORTED_POLICY, "a POAManager has no policies");
  auto made = host_->managers().make(host_, id);
  if (!made) throw ManagerAlreadyExists();
  return CORBA::object_reference<POAManager>(std::move(made));
}

PortableServer::POAManagerSeq ManagerFactory::list() {
  PortableServer::POAManagerSeq managers;
  for (auto& manager : host_->managers().all()) managers.emplace_back(std::move(manager));
  return managers;
}

CORBA::object_reference<POAManager> ManagerFactory::find(const std::string& id) {
  return CORBA::object_reference<POAManager>(host_->managers().find(id));
}

}  // namespace perigee::poa
