// The portable object adapter: its objects by id and by servant, its children, its references.
// Requests do not come through here: the dispatcher finds objects in its own table.
#pragma once

#include "poa/object_key.h"
#include "poa/policy_set.h"
#include "poa/slot_table.h"
#include "poa/upcall.h"
#include <perigee/base/octets.h>
#include <perigee/poa/poa.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace perigee::poa {

class Dispatcher;
class Manager;

/// What an adapter is made of; fixed for its life.
struct AdapterParts {
  std::shared_ptr<Dispatcher> dispatcher;
  std::shared_ptr<Manager> manager;
  std::string name;
  PolicySet policies;
};

/// Any thread. Shared by the dispatcher's slot (until it is destroyed), by the objects that are
/// still in use and by the application's references.
class Adapter final : public PortableServer::POA {
 public:
  Adapter(AdapterParts parts, const std::shared_ptr<Adapter>& parent);
  ~Adapter() override;
  static std::shared_ptr<Adapter> make_root(const std::shared_ptr<Dispatcher>& dispatcher);

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
  [[nodiscard]] PortableServer::ObjectId id() override;

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
  [[nodiscard]] const std::shared_ptr<Manager>& shared_manager() const noexcept {
    return parts_.manager;
  }
  [[nodiscard]] bool destroyed() const noexcept;
  /// nullptr if there is none.
  [[nodiscard]] std::shared_ptr<Adapter> child(std::string_view name) const noexcept;
  [[nodiscard]] std::vector<std::shared_ptr<Adapter>> all_children() const;
  /// The slot of the active object with this id.
  [[nodiscard]] std::optional<SlotRef> find(OctetSpan id) const noexcept;
  /// Holds the lock that makes upcalls wait for each other, if the thread policy says so.
  [[nodiscard]] std::unique_lock<std::recursive_mutex> enter_upcall();
  /// A reference to an active object of this adapter, whose type is what its servant says.
  [[nodiscard]] CORBA::object_reference<CORBA::Object> reference_to(
      const ActiveObject& object) const;
  /// An object's servant has been let go.
  void object_released() noexcept;
  void wait_until_idle();
  /// @}

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;
  using IdText = std::string;  // an object id as map key

  void attach(const std::shared_ptr<Adapter>& parent);
  [[nodiscard]] std::shared_ptr<Adapter> self() const;
  [[nodiscard]] Lock lock_alive() const;
  [[nodiscard]] static IdText text_of(OctetSpan id);
  SlotRef activate(Lock& lock, std::optional<PortableServer::ObjectId> id,
                   const ServantRef& servant);
  void check_id_is_ours(const PortableServer::ObjectId& id) const;
  [[nodiscard]] bool is_system_id(const PortableServer::ObjectId& id) const noexcept;
  [[nodiscard]] PortableServer::ObjectId new_system_id();
  [[nodiscard]] Octets key_of(const PortableServer::ObjectId& id, SlotRef hint) const;
  [[nodiscard]] CORBA::object_reference<CORBA::Object> make_reference(
      std::string repository_id, const PortableServer::ObjectId& id, SlotRef hint) const;
  [[nodiscard]] SlotRef find_or_activate(const ServantRef& servant);
  [[nodiscard]] bool names_its_objects_by_servant() const noexcept;
  [[nodiscard]] SlotTable<ActiveObject>::Pin pin(SlotRef slot) const;
  [[nodiscard]] SlotTable<ActiveObject>::Pin pin_id(const PortableServer::ObjectId& id) const;
  [[nodiscard]] const ActiveObject* upcall_on(
      const PortableServer::Servant* servant) const noexcept;
  void forget_child(const std::string& name, const Adapter* child) noexcept;
  void remove_objects() noexcept;

  const AdapterParts parts_;
  const std::weak_ptr<Adapter> parent_;
  Octets path_;  // as in persistent keys
  SlotRef ref_;  // in the dispatcher's table
  std::weak_ptr<Adapter> self_;
  std::recursive_mutex upcall_mutex_;  // SINGLE_THREAD_MODEL

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable released_;
  bool destroyed_ = false;
  std::uint64_t next_id_ = 0;
  std::size_t objects_in_use_ = 0;  // active, or deactivated with requests in progress
  std::map<std::string, std::shared_ptr<Adapter>, std::less<>> children_;
  std::unordered_map<IdText, SlotRef> ids_;
  std::unordered_multimap<const PortableServer::Servant*, SlotRef> servants_;
};

}  // namespace perigee::poa
