// PortableServer::POA, POAManager and Current in the C++11 mapping: local interfaces, from
// `resolve_initial_references("RootPOA")` and `("POACurrent")`. Source: CORBA 3.0, chapter 11.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/current.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/local_exception.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/object.h>
#include <perigee/poa/policies.h>
#include <perigee/poa/servant.h>
#include <perigee/poa/servant_managers.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace PortableServer {
inline namespace perigee_v1 {

class POA;
class POAManager;

/// Converts text to octets, and octets to text. `ObjectId_to_string` raises BAD_PARAM for an id
/// that contains a NUL.
PERIGEE_API ObjectId string_to_ObjectId(std::string_view text);
PERIGEE_API std::string ObjectId_to_string(const ObjectId& id);

using POAList = std::vector<CORBA::object_reference<POA>>;

/// Thrown by a servant or a servant manager: forwards the client to another object
/// (LOCATION_FORWARD).
class PERIGEE_API ForwardRequest final : public CORBA::UserException {
 public:
  ForwardRequest() = default;
  explicit ForwardRequest(CORBA::object_reference<CORBA::Object> target) noexcept
      : forward_reference_(std::move(target)) {}
  ~ForwardRequest() override;
  [[nodiscard]] const CORBA::object_reference<CORBA::Object>& forward_reference() const noexcept {
    return forward_reference_;
  }
  void forward_reference(CORBA::object_reference<CORBA::Object> target) noexcept {
    forward_reference_ = std::move(target);
  }
  [[nodiscard]] const char* _rep_id() const noexcept override;
  [[nodiscard]] const char* _name() const noexcept override;
  [[noreturn]] void _raise() const override;
  void _encode(perigee::cdr::Encoder& encoder) const override;

 private:
  CORBA::object_reference<CORBA::Object> forward_reference_;
};

/// Decides whether requests to the POAs that it manages are served, held, discarded or refused. Any
/// thread.
///
/// `wait_for_completion` waits until no upcall of these POAs is in progress; from within an upcall
/// of the same ORB it raises BAD_INV_ORDER, OMG minor 3. Source: CORBA 3.0, 11.3.2.
class PERIGEE_API POAManager : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<POAManager>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableServer/POAManager:1.0";

  enum class State : std::uint32_t { HOLDING, ACTIVE, DISCARDING, INACTIVE };
  PERIGEE_LOCAL_EXCEPTION(AdapterInactive)

  ~POAManager() override;
  /// Requests are served; held requests come first. Raises AdapterInactive.
  virtual void activate() = 0;
  /// Requests wait, as many as -ORBHeldRequestsMax and -ORBHeldSizeMax allow. Further requests get
  /// TRANSIENT, OMG minor 1. Raises AdapterInactive.
  virtual void hold_requests(bool wait_for_completion) = 0;
  /// Requests get TRANSIENT, OMG minor 1. Raises AdapterInactive.
  virtual void discard_requests(bool wait_for_completion) = 0;
  /// Permanent: requests get OBJ_ADAPTER, OMG minor 1, and later changes of the state raise
  /// AdapterInactive. With `etherealize_objects`, all objects are
  /// deactivated. The adapter releases a servant when no request uses it any longer; a servant
  /// activator etherealizes it first.
  virtual void deactivate(bool etherealize_objects, bool wait_for_completion) = 0;
  [[nodiscard]] virtual State get_state() = 0;
  [[nodiscard]] virtual std::string get_id() = 0;

 protected:
  POAManager() = default;
};

[[nodiscard]] constexpr std::string_view _enumerator_name(POAManager::State state) noexcept {
  switch (state) {
    case POAManager::State::HOLDING:
      return "HOLDING";
    case POAManager::State::ACTIVE:
      return "ACTIVE";
    case POAManager::State::DISCARDING:
      return "DISCARDING";
    case POAManager::State::INACTIVE:
      return "INACTIVE";
  }
  return {};
}

using POAManagerSeq = std::vector<CORBA::object_reference<POAManager>>;

/// Makes and finds the POAManagers of an ORB. It keeps none of them: a POAManager exists as long as
/// an adapter or a reference uses it. Any thread. Source: CORBA 3.1, 15.3.3.
class PERIGEE_API POAManagerFactory : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<POAManagerFactory>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableServer/POAManagerFactory:1.0";

  using POAManagerSeq = PortableServer::POAManagerSeq;
  PERIGEE_LOCAL_EXCEPTION(ManagerAlreadyExists)

  ~POAManagerFactory() override;
  /// Makes a POAManager in state HOLDING, for `create_POA`. Raises ManagerAlreadyExists, and
  /// CORBA::PolicyError for any policy.
  virtual CORBA::object_reference<POAManager> create_POAManager(
      const std::string& id, const CORBA::PolicyList& policies) = 0;
  /// All POAManagers of the ORB, whether this factory or `create_POA` made them.
  [[nodiscard]] virtual POAManagerSeq list() = 0;
  /// Nil if no POAManager has the id.
  [[nodiscard]] virtual CORBA::object_reference<POAManager> find(const std::string& id) = 0;

 protected:
  POAManagerFactory() = default;
};

/// A portable object adapter: makes references to objects, and finds the servants for requests to
/// these objects. Any thread. After `destroy` every operation raises OBJECT_NOT_EXIST.
class PERIGEE_API POA : public CORBA::Object {
 public:
  using _ref_type = CORBA::object_reference<POA>;
  using ServantRef = CORBA::servant_reference<Servant>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableServer/POA:2.3";

  PERIGEE_LOCAL_EXCEPTION(AdapterAlreadyExists)
  PERIGEE_LOCAL_EXCEPTION(AdapterNonExistent)
  PERIGEE_LOCAL_EXCEPTION(NoServant)
  PERIGEE_LOCAL_EXCEPTION(ObjectAlreadyActive)
  PERIGEE_LOCAL_EXCEPTION(ObjectNotActive)
  PERIGEE_LOCAL_EXCEPTION(ServantAlreadyActive)
  PERIGEE_LOCAL_EXCEPTION(ServantNotActive)
  PERIGEE_LOCAL_EXCEPTION(WrongAdapter)
  PERIGEE_LOCAL_EXCEPTION(WrongPolicy)

  /// A policy cannot be used, alone or together with the others.
  class PERIGEE_API InvalidPolicy final : public CORBA::UserException {
   public:
    InvalidPolicy() = default;
    explicit InvalidPolicy(std::uint16_t index, std::string reason = {})
        : index_(index), reason_(std::move(reason)) {}
    ~InvalidPolicy() override;
    /// The index of the offending policy in the list given to create_POA.
    [[nodiscard]] std::uint16_t index() const noexcept { return index_; }
    void index(std::uint16_t index) noexcept { index_ = index; }
    /// The reason, as a text for readers of logs.
    [[nodiscard]] const char* what() const noexcept override;
    [[nodiscard]] const char* _rep_id() const noexcept override;
    [[nodiscard]] const char* _name() const noexcept override;
    [[noreturn]] void _raise() const override;
    void _encode(perigee::cdr::Encoder& encoder) const override;

   private:
    std::uint16_t index_ = 0;
    std::string reason_;
  };

  ~POA() override;

  /// @name Adapters
  /// @{
  /// Makes a child adapter. If `manager` is nil, the child gets a new POAManager in state HOLDING.
  /// Raises AdapterAlreadyExists, InvalidPolicy.
  virtual CORBA::object_reference<POA> create_POA(const std::string& adapter_name,
                                                  CORBA::object_reference<POAManager> manager,
                                                  const CORBA::PolicyList& policies) = 0;
  /// Finds a child. If there is none and `activate_it` is set, asks the adapter activator to make
  /// it. Raises AdapterNonExistent; OBJ_ADAPTER (OMG minor 1) if the activator fails; TRANSIENT
  /// (OMG minor 1) if this thread is making the child.
  virtual CORBA::object_reference<POA> find_POA(const std::string& adapter_name,
                                                bool activate_it) = 0;
  /// Destroys the children, then deactivates all objects. The adapter releases a servant when no
  /// request uses it any longer. With `etherealize_objects`, a servant activator etherealizes the
  /// servant first. Waiting in an upcall raises BAD_INV_ORDER, OMG minor 3.
  virtual void destroy(bool etherealize_objects, bool wait_for_completion) = 0;
  [[nodiscard]] virtual std::string the_name() = 0;
  [[nodiscard]] virtual CORBA::object_reference<POA> the_parent() = 0;  ///< nil for the Root POA
  [[nodiscard]] virtual POAList the_children() = 0;
  [[nodiscard]] virtual CORBA::object_reference<POAManager> the_POAManager() = 0;
  /// Makes POAManagers that have names, and lists all POAManagers of the ORB.
  [[nodiscard]] virtual CORBA::object_reference<POAManagerFactory> the_POAManagerFactory() = 0;
  /// The id of the adapter, unique within its ORB.
  [[nodiscard]] virtual ObjectId id() = 0;
  /// The adapter activator, which makes missing children when requests need them. Nil: missing
  /// children are not made.
  [[nodiscard]] virtual CORBA::object_reference<AdapterActivator> the_activator() = 0;
  virtual void the_activator(CORBA::object_reference<AdapterActivator> activator) = 0;
  /// @}

  /// @name Servants for objects that are not active
  /// @{
  /// Raises WrongPolicy (needs USE_SERVANT_MANAGER).
  [[nodiscard]] virtual CORBA::object_reference<ServantManager> get_servant_manager() = 0;
  /// May be called once: a ServantActivator for RETAIN, a ServantLocator for NON_RETAIN. Raises
  /// WrongPolicy; BAD_INV_ORDER (OMG minor 6) the second time; OBJ_ADAPTER (OMG minor 4) for the
  /// wrong kind.
  virtual void set_servant_manager(CORBA::object_reference<ServantManager> manager) = 0;
  /// The default servant. Raises NoServant, WrongPolicy (needs USE_DEFAULT_SERVANT).
  [[nodiscard]] virtual ServantRef get_servant() = 0;
  virtual void set_servant(const ServantRef& servant) = 0;
  /// @}

  /// @name Policies
  /// @{
  CORBA::object_reference<ThreadPolicy> create_thread_policy(ThreadPolicyValue value);
  CORBA::object_reference<LifespanPolicy> create_lifespan_policy(LifespanPolicyValue value);
  CORBA::object_reference<IdUniquenessPolicy> create_id_uniqueness_policy(
      IdUniquenessPolicyValue value);
  CORBA::object_reference<IdAssignmentPolicy> create_id_assignment_policy(
      IdAssignmentPolicyValue value);
  CORBA::object_reference<ImplicitActivationPolicy> create_implicit_activation_policy(
      ImplicitActivationPolicyValue value);
  CORBA::object_reference<ServantRetentionPolicy> create_servant_retention_policy(
      ServantRetentionPolicyValue value);
  CORBA::object_reference<RequestProcessingPolicy> create_request_processing_policy(
      RequestProcessingPolicyValue value);
  /// @}

  /// @name Activation
  /// @{
  /// Raises ServantAlreadyActive, WrongPolicy (needs SYSTEM_ID and RETAIN).
  virtual ObjectId activate_object(const ServantRef& servant) = 0;
  /// Raises ServantAlreadyActive, ObjectAlreadyActive; BAD_PARAM (OMG minor 14) if the adapter has
  /// SYSTEM_ID and did not make the id; WrongPolicy (needs RETAIN). Waits while the object is being
  /// incarnated or etherealized. Raises BAD_INV_ORDER (OMG minor 3) if the wait might never end,
  /// for example inside `incarnate` of the adapter.
  virtual void activate_object_with_id(const ObjectId& id, const ServantRef& servant) = 0;
  /// `activate_object` for a reply handler of asynchronous calls (AMI). The active object keeps the
  /// handler alive.
  template <typename Handler>
    requires requires(const CORBA::object_reference<Handler>& handler) {
      _servant_of(handler, handler.get());
    }
  ObjectId activate_object(const CORBA::object_reference<Handler>& handler) {
    return activate_object(ServantRef(_servant_of(handler, handler.get())));
  }
  /// New requests find no object from now on. When the requests in progress are done, the last of
  /// them releases the servant. Does not wait for them. Raises ObjectNotActive, WrongPolicy.
  virtual void deactivate_object(const ObjectId& id) = 0;
  /// @}

  /// @name References
  /// @{
  /// Makes a reference without activating an object. Raises WrongPolicy (needs SYSTEM_ID).
  virtual CORBA::object_reference<CORBA::Object> create_reference(
      const std::string& repository_id) = 0;
  virtual CORBA::object_reference<CORBA::Object> create_reference_with_id(
      const ObjectId& id, const std::string& repository_id) = 0;
  /// The id of the servant's object, or a reference to it. If the servant has no object, activates
  /// one where the policies allow it. Both functions need RETAIN, and UNIQUE_ID or
  /// IMPLICIT_ACTIVATION. Without these policies, `servant_to_reference` works only in an upcall on
  /// the servant, and so does `servant_to_id` with USE_DEFAULT_SERVANT. In an upcall on the
  /// servant, `servant_to_reference` returns a reference to the object of the upcall. Raises
  /// WrongPolicy, and ServantNotActive if the servant has no object.
  virtual ObjectId servant_to_id(const ServantRef& servant) = 0;
  virtual CORBA::object_reference<CORBA::Object> servant_to_reference(
      const ServantRef& servant) = 0;
  /// Raises ObjectNotActive, WrongAdapter, WrongPolicy. For an object that is not active,
  /// `reference_to_servant` and `id_to_servant` return the default servant, if there is one.
  virtual ServantRef reference_to_servant(
      const CORBA::object_reference<CORBA::Object>& reference) = 0;
  virtual ObjectId reference_to_id(const CORBA::object_reference<CORBA::Object>& reference) = 0;
  virtual ServantRef id_to_servant(const ObjectId& id) = 0;
  virtual CORBA::object_reference<CORBA::Object> id_to_reference(const ObjectId& id) = 0;
  /// @}

 protected:
  POA() = default;
};

/// The upcall of the calling thread. Source: CORBA 3.0, 11.3.7.
class PERIGEE_API Current : public virtual CORBA::Current {
 public:
  using _ref_type = CORBA::object_reference<Current>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableServer/Current:2.3";

  /// The thread is not in an upcall.
  PERIGEE_LOCAL_EXCEPTION(NoContext)

  ~Current() override;
  [[nodiscard]] virtual CORBA::object_reference<POA> get_POA() = 0;
  [[nodiscard]] virtual ObjectId get_object_id() = 0;
  [[nodiscard]] virtual CORBA::object_reference<CORBA::Object> get_reference() = 0;
  [[nodiscard]] virtual CORBA::servant_reference<Servant> get_servant() = 0;

 protected:
  Current() = default;
};

}  // namespace perigee_v1
}  // namespace PortableServer

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<PortableServer::POA> : perigee::stub::local_interface_traits<PortableServer::POA> {};
template <>
struct traits<PortableServer::POAManager>
    : perigee::stub::local_interface_traits<PortableServer::POAManager> {};
template <>
struct traits<PortableServer::POAManagerFactory>
    : perigee::stub::local_interface_traits<PortableServer::POAManagerFactory> {};
template <>
struct traits<PortableServer::Current>
    : perigee::stub::local_interface_traits<PortableServer::Current> {};
}  // namespace perigee_v1
}  // namespace IDL
