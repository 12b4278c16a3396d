// PortableInterceptor::IORInterceptor: adds components to the references of each POA, and is called
// when the state of a POA changes. Source: CORBA 3.0, 21.5.
#pragma once

#include <perigee/base/export.h>
#include <perigee/dynamic/interceptor.h>
#include <perigee/dynamic/iop_types.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/policy.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace PortableInterceptor {
inline namespace perigee_v1 {

/// Identifies a POA manager within its ORB.
using AdapterManagerId = std::int32_t;

/// The state of a POA or of a POA manager.
using AdapterState = std::int16_t;
inline constexpr AdapterState HOLDING = 0;
inline constexpr AdapterState ACTIVE = 1;
inline constexpr AdapterState DISCARDING = 2;
inline constexpr AdapterState INACTIVE = 3;
inline constexpr AdapterState NON_EXISTENT = 4;  ///< the POA was destroyed

/// Names a POA. In the standard it is a valuetype that also makes references; here it is a class
/// with the names only.
class ObjectReferenceTemplate final {
 public:
  ObjectReferenceTemplate() = default;
  ObjectReferenceTemplate(std::string server_id, std::string orb_id, AdapterName adapter_name)
      : server_id_(std::move(server_id)),
        orb_id_(std::move(orb_id)),
        adapter_name_(std::move(adapter_name)) {}
  /// `-ORBServerId` of the ORB.
  [[nodiscard]] const std::string& server_id() const noexcept { return server_id_; }
  [[nodiscard]] const std::string& orb_id() const noexcept { return orb_id_; }
  /// The names of the POA and its ancestors, "RootPOA" first.
  [[nodiscard]] const AdapterName& adapter_name() const noexcept { return adapter_name_; }

 private:
  std::string server_id_;
  std::string orb_id_;
  AdapterName adapter_name_;
};
using ObjectReferenceTemplateSeq = std::vector<ObjectReferenceTemplate>;

/// A POA that is being made. Valid during the call of the interceptor.
class PERIGEE_API IORInfo : public virtual CORBA::LocalObject {
 public:
  using _ref_type = CORBA::object_reference<IORInfo>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableInterceptor/IORInfo:1.0";

  ~IORInfo() override;
  /// The policy of the POA with this type, or nil. Raises INV_POLICY, OMG minor 3, if the POA has
  /// no such policy, no policy factory is registered for the type, and it is not one of the POA's
  /// own types.
  [[nodiscard]] virtual CORBA::object_reference<CORBA::Policy> get_effective_policy(
      CORBA::PolicyType type) = 0;
  /// Adds the component to all profiles that can have components. Raises BAD_INV_ORDER, OMG minor
  /// 14, in `components_established`, as add_ior_component_to_profile does.
  virtual void add_ior_component(const IOP::TaggedComponent& component) = 0;
  /// Adds the component to the profiles with this tag. Raises BAD_PARAM, OMG minor 29, if the ORB
  /// makes no such profiles.
  virtual void add_ior_component_to_profile(const IOP::TaggedComponent& component,
                                            IOP::ProfileId profile_id) = 0;
  /// The id of the POA's manager, as `adapter_manager_state_changed` gets it.
  [[nodiscard]] virtual AdapterManagerId manager_id() = 0;
  /// The state of the POA's manager.
  [[nodiscard]] virtual AdapterState state() = 0;

 protected:
  IORInfo() = default;
};

/// Called while a POA is being made, once for each POA, on the thread that makes it. Also called
/// after a change of the state, on the thread that changes it.
class PERIGEE_API IORInterceptor : public virtual Interceptor {
 public:
  using _ref_type = CORBA::object_reference<IORInterceptor>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableInterceptor/IORInterceptor:1.0";
  using Info = CORBA::object_reference<IORInfo>;

  ~IORInterceptor() override;
  /// May add components. An exception is logged; the components that were added before it stay.
  virtual void establish_components(Info info) = 0;
  /// Called when all interceptors have established their components. An exception ends create_POA:
  /// it raises OBJ_ADAPTER, OMG minor 6.
  /// The parameter is passed by value, so that interceptors written for TAOX11 compile unchanged.
  // NOLINTNEXTLINE(performance-unnecessary-value-param)
  virtual void components_established(Info /*info*/) {}
  /// Called when a POA manager has changed its state, for all POAs of this manager. It may make
  /// calls, and may change the manager again. An exception is logged.
  virtual void adapter_manager_state_changed(AdapterManagerId /*id*/, AdapterState /*state*/) {}
  /// Called when a POA was destroyed, with the state NON_EXISTENT and one template. Children come
  /// before their parents. Requests to the POA's objects may be in progress. An exception is
  /// logged.
  virtual void adapter_state_changed(const ObjectReferenceTemplateSeq& /*templates*/,
                                     AdapterState /*state*/) {}

 protected:
  IORInterceptor() = default;
};

}  // namespace perigee_v1
}  // namespace PortableInterceptor

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<PortableInterceptor::IORInfo>
    : perigee::stub::local_interface_traits<PortableInterceptor::IORInfo> {};
template <>
struct traits<PortableInterceptor::IORInterceptor>
    : perigee::stub::local_interface_traits<PortableInterceptor::IORInterceptor> {};
}  // namespace perigee_v1
}  // namespace IDL
