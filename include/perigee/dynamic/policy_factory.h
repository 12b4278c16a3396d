// PortableInterceptor::PolicyFactory: policies of the application's own types.
// Source: CORBA 3.0, 21.6.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/any.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/policy.h>

#include <string_view>

namespace PortableInterceptor {
inline namespace perigee_v1 {

/// Makes policies for `ORB::create_policy`. Any thread.
class PERIGEE_API PolicyFactory : public virtual CORBA::LocalObject {
 public:
  using _ref_type = CORBA::object_reference<PolicyFactory>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableInterceptor/PolicyFactory:1.0";

  ~PolicyFactory() override;
  /// Raises CORBA::PolicyError if `value` is not a value of the policy.
  [[nodiscard]] virtual CORBA::object_reference<CORBA::Policy> create_policy(
      CORBA::PolicyType type, const CORBA::Any& value) = 0;

 protected:
  PolicyFactory() = default;
};

}  // namespace perigee_v1
}  // namespace PortableInterceptor

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<PortableInterceptor::PolicyFactory>
    : perigee::stub::local_interface_traits<PortableInterceptor::PolicyFactory> {};
}  // namespace perigee_v1
}  // namespace IDL
