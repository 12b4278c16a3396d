// CORBA::PolicyManager and PolicyCurrent: the client policies of an ORB and of a thread.
// Object::_set_policy_overrides sets those of an object.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/current.h>
#include <perigee/orb/policy.h>

#include <string_view>

namespace CORBA {
inline namespace perigee_v1 {

/// The policies that hold for all calls through an ORB, unless the thread or the object has others:
/// `resolve_initial_references("ORBPolicyManager")`. Any thread. Source: CORBA 3.0, 4.9.1.
class PERIGEE_API PolicyManager : public virtual LocalObject {
 public:
  using _ref_type = object_reference<PolicyManager>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/PolicyManager:1.0";
  ~PolicyManager() override;

  /// The policies of these types that are set here; all of them if `types` is empty.
  [[nodiscard]] virtual PolicyList get_policy_overrides(const PolicyTypeSeq& types) = 0;
  /// ADD_OVERRIDE: adds the policies, and replaces policies of the same types. SET_OVERRIDE:
  /// replaces all policies; an empty list removes all. Raises InvalidPolicies for policies that are
  /// not client policies, BAD_PARAM (OMG minor 30) for two policies of one type. After an exception
  /// nothing has changed.
  virtual void set_policy_overrides(const PolicyList& policies, SetOverrideType set_add) = 0;

 protected:
  PolicyManager() = default;
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;
};

/// The same for the calls of the calling thread: `resolve_initial_references("PolicyCurrent")`. All
/// threads share one object, and each thread sees its own policies. Source: CORBA 3.0, 4.9.2.
class PERIGEE_API PolicyCurrent : public virtual PolicyManager, public virtual Current {
 public:
  using _ref_type = object_reference<PolicyCurrent>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/PolicyCurrent:1.0";
  ~PolicyCurrent() override;

 protected:
  PolicyCurrent() = default;
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;
};

}  // namespace perigee_v1
}  // namespace CORBA

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::PolicyManager> : perigee::stub::local_interface_traits<CORBA::PolicyManager> {
};
template <>
struct traits<CORBA::PolicyCurrent> : perigee::stub::local_interface_traits<CORBA::PolicyCurrent> {
};
}  // namespace perigee_v1
}  // namespace IDL
