// Assembles the naming service in an ORB: adapters, servants, the tree.
#include "services/naming/context_servant.h"
#include <perigee/services/naming/service.h>

#include <utility>

namespace perigee::naming {

namespace {

PoaRef poa_of(CORBA::ORB& orb, const char* name) {
  return IDL::traits<PortableServer::POA>::narrow(orb.resolve_initial_references(name));
}

PoaRef make_context_poa(const PoaRef& root) {
  return root->create_POA(
      "PerigeeNaming", root->the_POAManager(),
      {root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT),
       root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID),
       root->create_id_uniqueness_policy(PortableServer::IdUniquenessPolicyValue::MULTIPLE_ID),
       root->create_servant_retention_policy(
           PortableServer::ServantRetentionPolicyValue::NON_RETAIN),
       root->create_request_processing_policy(
           PortableServer::RequestProcessingPolicyValue::USE_DEFAULT_SERVANT)});
}

}  // namespace

class NamingService::Parts {
 public:
  Parts(const CORBA::object_reference<CORBA::ORB>& orb, std::unique_ptr<Store> store,
        Options options)
      : root_poa_(poa_of(*orb, "RootPOA")),
        named_poa_(poa_of(*orb, "INSPOA")),
        tree_(orb, {named_poa_, make_context_poa(root_poa_)}, std::move(store), std::move(options)),
        iterators_(root_poa_->create_POA("PerigeeNamingIterators", root_poa_->the_POAManager(), {}),
                   tree_.store(), tree_.options()) {
    const auto current =
        IDL::traits<PortableServer::Current>::narrow(orb->resolve_initial_references("POACurrent"));
    root_poa_->find_POA("PerigeeNaming", false)
        ->set_servant(
            CORBA::make_reference<ContextServant>(tree_, iterators_, current, std::nullopt));
    named_poa_->activate_object_with_id(
        PortableServer::string_to_ObjectId(root_key),
        CORBA::make_reference<ContextServant>(tree_, iterators_, current, root_context));
    named_poa_->the_POAManager()->activate();
  }

  [[nodiscard]] ObjectRef root() const { return tree_.reference_of(root_context); }

 private:
  const PoaRef root_poa_;
  const PoaRef named_poa_;
  Tree tree_;
  Iterators iterators_;
};

NamingService::NamingService(const CORBA::object_reference<CORBA::ORB>& orb,
                             std::unique_ptr<Store> store, Options options)
    : parts_(std::make_unique<Parts>(orb, std::move(store), std::move(options))) {}
NamingService::~NamingService() = default;

CORBA::object_reference<CORBA::Object> NamingService::root() const { return parts_->root(); }

}  // namespace perigee::naming
