// The portable object adapter. It joins its objects (ObjectMap), their activation
// (ServantActivation) and its links to other adapters (AdapterLinks). Requests to active objects do
// not come through here: the dispatcher finds them in its own table.
#pragma once

#include "poa/adapter_links.h"
#include "poa/managed_adapter.h"
#include "poa/object_key.h"
#include "poa/object_map.h"
#include "poa/policy_set.h"
#include "poa/servant_activation.h"
#include "poa/served_object.h"
#include "poa/slot_table.h"
#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/poa/poa.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::orb {
class OrbCore;
}

namespace perigee::poa {

class AdapterHost;
class Manager;

/// The parts of an adapter; fixed for its life.
struct AdapterParts {
  std::shared_ptr<AdapterHost> host;
  counted_ptr<Manager> manager;
  std::string name;
  PolicySet policies;
  bool ids_are_keys = false;  ///< object ids are whole object keys, for corbaloc
};

/// Any thread may call it. Shared by the dispatcher's slot (until the adapter is destroyed), by the
/// objects that are still in use and by the application's references.
class PERIGEE_INTERNAL_TYPE Adapter final : public ManagedAdapter {
 public:
  Adapter(AdapterParts parts, const counted_ptr<Adapter>& parent);
  ~Adapter() override;
  /// Makes an adapter, and makes it known to the host and to its manager. Null parent: a root.
  static counted_ptr<Adapter> make(AdapterParts parts, const counted_ptr<Adapter>& parent);

  /// @name PortableServer::POA
  /// @{
  CORBA::object_reference<POA> create_POA(
      const std::string& adapter_name, CORBA::object_reference<PortableServer::POAManager> manager,
      const CORBA::PolicyList& policies) override;
  CORBA::object_reference<POA> find_POA(const std::string& adapter_name, bool activate_it) override;
  void destroy(bool etherealize_objects, bool wait_for_completion) override;
  [[nodiscard]] std::string the_name() override;
  [[nodiscard]] CORBA::object_reference<POA> the_parent() override;
  [[nodiscard]] PortableServer::POAList the_children() override;
  [[nodiscard]] CORBA::object_reference<PortableServer::POAManager> the_POAManager() override;
  [[nodiscard]] CORBA::object_reference<PortableServer::POAManagerFactory> the_POAManagerFactory()
      override;
  [[nodiscard]] PortableServer::ObjectId id() override;
  [[nodiscard]] CORBA::object_reference<PortableServer::AdapterActivator> the_activator() override;
  void the_activator(CORBA::object_reference<PortableServer::AdapterActivator> activator) override;

  [[nodiscard]] CORBA::object_reference<PortableServer::ServantManager> get_servant_manager()
      override;
  void set_servant_manager(
      CORBA::object_reference<PortableServer::ServantManager> manager) override;
  [[nodiscard]] ServantRef get_servant() override;
  void set_servant(const ServantRef& servant) override;

  PortableServer::ObjectId activate_object(const ServantRef& servant) override;
  void activate_object_with_id(const PortableServer::ObjectId& id,
                               const ServantRef& servant) override;
  void deactivate_object(const PortableServer::ObjectId& id) override;

  CORBA::object_reference<CORBA::Object> create_reference(
      const std::string& repository_id) override;
  CORBA::object_reference<CORBA::Object> create_reference_with_id(
      const PortableServer::ObjectId& id, const std::string& repository_id) override;
  PortableServer::ObjectId servant_to_id(const ServantRef& servant) override;
  CORBA::object_reference<CORBA::Object> servant_to_reference(const ServantRef& servant) override;
  ServantRef reference_to_servant(const CORBA::object_reference<CORBA::Object>& reference) override;
  PortableServer::ObjectId reference_to_id(
      const CORBA::object_reference<CORBA::Object>& reference) override;
  ServantRef id_to_servant(const PortableServer::ObjectId& id) override;
  CORBA::object_reference<CORBA::Object> id_to_reference(
      const PortableServer::ObjectId& id) override;
  /// @}

  /// @name For the dispatcher and the managers
  /// @{
  [[nodiscard]] const PolicySet& policies() const noexcept { return parts_.policies; }
  [[nodiscard]] const Manager& manager() const noexcept { return *parts_.manager; }
  [[nodiscard]] const counted_ptr<Manager>& shared_manager() const noexcept {
    return parts_.manager;
  }
  [[nodiscard]] bool ids_are_keys() const noexcept { return parts_.ids_are_keys; }
  [[nodiscard]] bool destroyed() const noexcept;
  /// The names of this adapter and its ancestors, "RootPOA" first. Valid also after `destroy`.
  [[nodiscard]] PERIGEE_INTERNAL_API std::vector<std::string> full_name() const;
  [[nodiscard]] std::vector<counted_ptr<Adapter>> all_children() const;
  [[nodiscard]] std::size_t active_object_count() const noexcept;
  /// Null if there are no children.
  [[nodiscard]] counted_ptr<Adapter> first_child() const noexcept;
  /// The child after `child`; null if there is none.
  [[nodiscard]] counted_ptr<Adapter> child_after(const Adapter& child) const noexcept;
  /// Takes the lock that makes upcalls wait for each other, if the thread policy is
  /// SINGLE_THREAD_MODEL. Raises TRANSIENT if the calling thread is the last serving thread, and
  /// the lock stays taken for `Settings::single_thread_wait`. Without this limit, two threads could
  /// wait for each other for ever: the upcall that has the lock may need a request that only the
  /// calling thread could serve.
  [[nodiscard]] std::unique_lock<std::recursive_timed_mutex> enter_upcall();
  /// A reference to an object of this adapter, with the type that its servant names.
  [[nodiscard]] CORBA::object_reference<CORBA::Object> reference_to(
      const ServedObject& object) const;
  /// Called when an object is neither active nor used: etherealizes it, and releases its servant.
  void object_ended(ServedObject& object) noexcept;
  void deactivate_objects() noexcept override;
  void wait_until_idle() override;
  /// @}

  /// @name For requests to objects that are not active
  /// @{
  /// Lets a request use the adapter, so that `destroy` and the manager wait for it. False if the
  /// adapter was destroyed. Called before the request looks at the manager's state.
  [[nodiscard]] bool enter() noexcept;
  /// Adds a second use, for a request that uses the adapter already. The second use ends when the
  /// request is answered.
  void enter_again() noexcept;
  void leave() noexcept;
  /// Notes a deferred reply of the object, and returns the object's id for `end_deferred`. If the
  /// object is deactivated meanwhile, new requests to it are refused instead of waiting.
  [[nodiscard]] std::string begin_deferred(const ServedObject& object);
  void end_deferred(const std::string& id) noexcept;
  /// Null if the ORB no longer exists.
  [[nodiscard]] std::shared_ptr<orb::OrbCore> core() const noexcept;
  /// The object with this id, served by the default servant. Raises OBJ_ADAPTER if there is none.
  [[nodiscard]] ServedObject default_object(OctetSpan id) const;
  [[nodiscard]] CORBA::object_reference<PortableServer::ServantLocator> locator() const;
  /// Lets the servant activator make the object's servant, unless the object is active by then.
  void incarnate(OctetSpan id);
  [[nodiscard]] ServedObject served_object(OctetSpan id, ServantRef servant) const;
  /// @}

  /// @name For requests to adapters that do not exist
  /// @{
  /// nullptr if there is none, or if another thread's activator is still making it.
  [[nodiscard]] counted_ptr<Adapter> child(std::string_view name) const noexcept;
  [[nodiscard]] bool has_activator() const noexcept;
  /// Lets the adapter activator make a child. False if there is no such child afterwards.
  [[nodiscard]] bool activate_child(const std::string& name);
  /// @}

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;
  using State = ServantActivation::State;
  using Reason = ServantActivation::Reason;
  class ActivatorTurn;

  void attach(const counted_ptr<Adapter>& self);
  [[nodiscard]] counted_ptr<Adapter> self() const;
  [[nodiscard]] Lock lock_alive() const;
  SlotRef activate(Lock& lock, std::optional<PortableServer::ObjectId> id,
                   const ServantRef& servant, PortableServer::ObjectId* copy_of_id = nullptr);
  void list(const ActiveObject& object, SlotRef slot);
  void check_id_is_ours(const PortableServer::ObjectId& id) const;
  static void check_not_nil(const ServantRef& servant);
  [[nodiscard]] bool is_system_id(const PortableServer::ObjectId& id) const noexcept;
  [[nodiscard]] PortableServer::ObjectId new_system_id();
  [[nodiscard]] Octets key_of(const PortableServer::ObjectId& id) const;
  [[nodiscard]] CORBA::object_reference<CORBA::Object> make_reference(
      std::string repository_id, const PortableServer::ObjectId& id) const;
  struct Found {
    SlotRef slot;
    bool is_new;  ///< it was activated just now
  };
  [[nodiscard]] Found find_or_activate(const ServantRef& servant);
  /// Whether there was an active object with this id. Raises WrongPolicy without RETAIN.
  bool deactivate_if_active(const PortableServer::ObjectId& id);
  [[nodiscard]] SlotTable<ActiveObject>::Pin pin(SlotRef slot) const;
  [[nodiscard]] SlotTable<ActiveObject>::Pin pin_id(const PortableServer::ObjectId& id) const;
  [[nodiscard]] const ServedObject* upcall_on(
      const PortableServer::Servant* servant) const noexcept;
  void forget_child(const Adapter& child) noexcept;
  enum class Etherealize : std::uint8_t { no, yes };
  void remove_objects(Etherealize etherealize) noexcept;
  void remove_from_tables(const ObjectMap::Object& object) noexcept;
  void released(Lock lock) noexcept;

  [[nodiscard]] bool etherealizes() const noexcept;
  enum class Waits : std::uint8_t { application, request };
  void wait_for_transition(Lock& lock, const std::string& id, Waits waits);
  [[nodiscard]] bool would_wait_for_itself(const std::string& id) const noexcept;
  [[nodiscard]] ServantRef call_incarnate(const PortableServer::ObjectId& id);
  void call_etherealize(const ServedObject& object, Reason reason, bool remaining) noexcept;
  void keep_incarnated(const PortableServer::ObjectId& id, const ServantRef& servant);
  [[nodiscard]] bool call_unknown_adapter(PortableServer::AdapterActivator& activator,
                                          const std::string& name);

  const AdapterParts parts_;
  SlotRef ref_;  // in the dispatcher's table
  weak_counted_ptr<Adapter> self_;
  // For SINGLE_THREAD_MODEL. Lock order: first this mutex, then the turn at the servant activator,
  // or the registration of a child that is being made.
  std::recursive_timed_mutex upcall_mutex_;

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable released_;
  bool destroyed_ = false;
  std::uint64_t next_id_ = 0;
  std::size_t uses_ = 0;  // objects (active, or still used), and requests that found no object
  AdapterLinks<Adapter> links_;
  ObjectMap objects_;  // these ids are not in `activation_`
  ServantActivation activation_;

  ServantRef default_servant_;
  CORBA::object_reference<PortableServer::ServantManager> servant_manager_;
  // The same object, by the interface that the adapter calls. At least one of the two is nil.
  CORBA::object_reference<PortableServer::ServantActivator> servant_activator_;
  CORBA::object_reference<PortableServer::ServantLocator> servant_locator_;
  CORBA::object_reference<PortableServer::AdapterActivator> adapter_activator_;
};

/// The use of an adapter by a request that found no object in the adapter.
class AdapterVisit {
 public:
  AdapterVisit() noexcept = default;
  explicit AdapterVisit(counted_ptr<Adapter> adapter) noexcept
      : adapter_(std::move(adapter)), entered_(adapter_ && adapter_->enter()) {}
  /// Called by a request that uses the adapter already.
  [[nodiscard]] static AdapterVisit again(counted_ptr<Adapter> adapter) noexcept {
    adapter->enter_again();
    AdapterVisit visit;
    visit.adapter_ = std::move(adapter);
    visit.entered_ = true;
    return visit;
  }
  AdapterVisit(AdapterVisit&& other) noexcept
      : adapter_(std::move(other.adapter_)), entered_(std::exchange(other.entered_, false)) {}
  AdapterVisit& operator=(AdapterVisit&& other) noexcept {
    std::swap(adapter_, other.adapter_);
    std::swap(entered_, other.entered_);
    return *this;
  }
  ~AdapterVisit() {
    if (entered_) adapter_->leave();
  }

  [[nodiscard]] Adapter* adapter() const noexcept { return adapter_.get(); }
  /// False: the adapter is being destroyed.
  [[nodiscard]] bool entered() const noexcept { return entered_; }

 private:
  counted_ptr<Adapter> adapter_;
  bool entered_ = false;
};

}  // namespace perigee::poa
