// The POA of the repository, and the locator that finds the servant of each object.
#include "repository/servants.h"
#include <perigee/orb/make_reference.h>
#include <perigee/orb/policy.h>
#include <perigee/poa/policies.h>
#include <perigee/poa/servant_managers.h>
#include <perigee/repository/server.h>

#include <map>
#include <string>
#include <utility>

namespace perigee::repository {

namespace {

/// Chooses the servant by the kind of the definition. Any thread: the table does not change.
class Locator final : public PortableServer::ServantLocator {
 public:
  explicit Locator(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {
    for (auto kind = Kind::dk_Attribute; kind <= Kind::dk_Event;
         kind = static_cast<Kind>(static_cast<std::uint32_t>(kind) + 1))
      if (auto servant = make_servant(kind, *shared_)) servants_.emplace(kind, std::move(servant));
  }

  CORBA::servant_reference<PortableServer::Servant> preinvoke(
      const PortableServer::ObjectId& oid, CORBA::object_reference<PortableServer::POA> /*adapter*/,
      const std::string& /*operation*/, Cookie& /*the_cookie*/) override {
    return servants_.at(shared_->kind_of(oid));
  }
  void postinvoke(const PortableServer::ObjectId& /*oid*/,
                  CORBA::object_reference<PortableServer::POA> /*adapter*/,
                  const std::string& /*operation*/, Cookie /*the_cookie*/,
                  CORBA::servant_reference<PortableServer::Servant> /*the_servant*/) override {}

 private:
  std::shared_ptr<Shared> shared_;  // also owned by the Server, which outlives the POA
  std::map<Kind, CORBA::servant_reference<PortableServer::Servant>> servants_;
};

CORBA::object_reference<PortableServer::POA> make_poa(
    const CORBA::object_reference<CORBA::ORB>& orb) {
  namespace poa = PortableServer;
  const auto root = IDL::traits<poa::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const CORBA::PolicyList policies = {
      root->create_id_assignment_policy(poa::IdAssignmentPolicyValue::USER_ID),
      root->create_servant_retention_policy(poa::ServantRetentionPolicyValue::NON_RETAIN),
      root->create_request_processing_policy(
          poa::RequestProcessingPolicyValue::USE_SERVANT_MANAGER)};
  return root->create_POA("InterfaceRepository", root->the_POAManager(), policies);
}

}  // namespace

struct Server::Parts {
  std::shared_ptr<Shared> shared;
  CORBA::object_reference<CORBA::Repository> reference;
};

Server::Server(const CORBA::object_reference<CORBA::ORB>& orb, const Options& options)
    : parts_(std::make_unique<Parts>()) {
  parts_->shared = std::make_shared<Shared>(orb, options);
  const auto poa = make_poa(orb);
  parts_->shared->serve_from(poa);
  poa->set_servant_manager(CORBA::make_reference<Locator>(parts_->shared));
  parts_->reference = parts_->shared->repository();
}

Server::~Server() {
  try {
    parts_->shared->poa()->destroy(true, true);
  } catch (const CORBA::Exception&) {
    // The ORB has been destroyed already, and its POAs with it.
    parts_->reference.reset();
  }
}

void Server::load(const std::vector<Embedded>& descriptions) { parts_->shared->load(descriptions); }

CORBA::object_reference<CORBA::Repository> Server::reference() const { return parts_->reference; }

}  // namespace perigee::repository
