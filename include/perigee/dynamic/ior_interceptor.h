// PortableInterceptor::IORInterceptor: adds components to the references of each POA.
// Source: CORBA 3.0, 21.5.
#pragma once

#include <perigee/base/export.h>
#include <perigee/dynamic/interceptor.h>
#include <perigee/dynamic/iop_types.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/policy.h>

#include <string_view>

namespace PortableInterceptor {
inline namespace perigee_v1 {

/// A POA that is being made. Valid during the call of the interceptor.
class PERIGEE_API IORInfo : public virtual CORBA::LocalObject {
 public:
  using _ref_type = CORBA::object_reference<IORInfo>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableInterceptor/IORInfo:1.0";

  ~IORInfo() override;
  /// The policy of the POA with this type, or nil. Raises INV_POLICY, OMG minor 3, if the POA has
  /// no such policy, no policy factory takes the type, and it is not one of the POA's own types.
  [[nodiscard]] virtual CORBA::object_reference<CORBA::Policy> get_effective_policy(
      CORBA::PolicyType type) = 0;
  /// Adds the component to all profiles that can have components.
  virtual void add_ior_component(const IOP::TaggedComponent& component) = 0;
  /// Adds the component to the profiles with this tag. Raises BAD_PARAM, OMG minor 29, if the ORB
  /// makes no such profiles.
  virtual void add_ior_component_to_profile(const IOP::TaggedComponent& component,
                                            IOP::ProfileId profile_id) = 0;

 protected:
  IORInfo() = default;
};

/// Called while a POA is being made, once for each POA, on the thread that makes it.
class PERIGEE_API IORInterceptor : public virtual Interceptor {
 public:
  using _ref_type = CORBA::object_reference<IORInterceptor>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableInterceptor/IORInterceptor:1.0";
  using Info = CORBA::object_reference<IORInfo>;

  ~IORInterceptor() override;
  /// May add components. An exception is logged; the components that were added before it stay.
  virtual void establish_components(const Info& info) = 0;
  /// Called when all interceptors have established their components. An exception ends create_POA:
  /// it raises OBJ_ADAPTER, OMG minor 6.
  virtual void components_established(const Info& /*info*/) {}

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
