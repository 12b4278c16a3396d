// Assembles the naming service in an ORB: adapters, servants, the tree.
#include "services/naming/context_servant.h"
#include "services/naming/name_table.h"
#include <perigee/base/log.h>
#include <perigee/orb/status_section.h>
#include <perigee/services/naming/service.h>

#include <utility>

namespace perigee::naming {

namespace {

PoaRef poa_of(CORBA::ORB& orb, const char* name) {
  return IDL::traits<PortableServer::POA>::narrow(orb.resolve_initial_references(name));
}

/// Makes a call at the end of the service. The ORB may have ended before.
template <typename Call>
void call_at_end(Call call) noexcept try {
  call();
} catch (const CORBA::Exception& exception) {
  log::write(log::Level::debug, "naming", exception.what());
}

/// An adapter that ends with this object.
class OwnedPoa {
 public:
  explicit OwnedPoa(PoaRef poa) : poa_(std::move(poa)) {}
  ~OwnedPoa() { end(); }
  OwnedPoa(const OwnedPoa&) = delete;
  OwnedPoa& operator=(const OwnedPoa&) = delete;

  [[nodiscard]] const PoaRef& ref() const noexcept { return poa_; }
  /// Waits for the requests in progress.
  void end() noexcept {
    if (!std::exchange(has_ended_, true)) call_at_end([this] { poa_->destroy(true, true); });
  }

 private:
  const PoaRef poa_;
  bool has_ended_ = false;
};

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
        context_poa_(make_context_poa(root_poa_)),
        iterator_poa_(
            root_poa_->create_POA("PerigeeNamingIterators", root_poa_->the_POAManager(), {})),
        tree_(orb, {named_poa_, context_poa_.ref()}, std::move(store), std::move(options)),
        iterators_(iterator_poa_.ref(), tree_.store(), tree_.options()),
        table_(*orb, "names", "Names", [this](const orb::StatusQuery& query) {
          return table_of_names(tree_.store(), tree_.options(), query);
        }) {
    try {
      activate(*orb);
    } catch (...) {
      leave();
      throw;
    }
  }
  ~Parts() { leave(); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  [[nodiscard]] ObjectRef root() const { return tree_.reference_of(root_context); }

 private:
  void activate(CORBA::ORB& orb) {
    const auto current =
        IDL::traits<PortableServer::Current>::narrow(orb.resolve_initial_references("POACurrent"));
    context_poa_.ref()->set_servant(
        CORBA::make_reference<ContextServant>(tree_, iterators_, current, std::nullopt));
    named_poa_->activate_object_with_id(
        PortableServer::string_to_ObjectId(root_key),
        CORBA::make_reference<ContextServant>(tree_, iterators_, current, root_context));
    is_named_ = true;
    named_poa_->the_POAManager()->activate();
  }

  /// Takes all servants from the ORB: they refer to the members of this object.
  void leave() noexcept {
    if (std::exchange(is_named_, false))
      call_at_end(
          [this] { named_poa_->deactivate_object(PortableServer::string_to_ObjectId(root_key)); });
    iterator_poa_.end();
    context_poa_.end();
  }

  const PoaRef root_poa_;
  const PoaRef named_poa_;
  OwnedPoa context_poa_;
  OwnedPoa iterator_poa_;
  Tree tree_;
  Iterators iterators_;
  const orb::StatusSection table_;  // on the metrics page of the ORB
  bool is_named_ = false;           // the ORB has the object NameService of this service
};

NamingService::NamingService(const CORBA::object_reference<CORBA::ORB>& orb,
                             std::unique_ptr<Store> store, Options options)
    : parts_(std::make_unique<Parts>(orb, std::move(store), std::move(options))) {}
NamingService::~NamingService() = default;

CORBA::object_reference<CORBA::Object> NamingService::root() const { return parts_->root(); }

}  // namespace perigee::naming
