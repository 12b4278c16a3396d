// A policy of Perigee's own: tagged components in the references of a POA. Pass it to `create_POA`.
// ORB::create_policy makes it, too. Clients read the components with `tagged_components`, and
// interceptors with `get_effective_components`. See docs/policies.md.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/iop_types.h>
#include <perigee/orb/policy.h>

#include <cstddef>
#include <string_view>

namespace perigee {

inline constexpr CORBA::PolicyType TAGGED_COMPONENT_POLICY_TYPE = CORBA::PERIGEE_VMCID | 5;

/// The IIOP profiles of all references that the POA makes contain these components. Several of them
/// may have the same tag. Other profiles, and profiles of IIOP 1.0, have no components.
class PERIGEE_API TaggedComponentPolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<TaggedComponentPolicy>;
  static constexpr std::string_view _type_id = "IDL:perigee/TaggedComponentPolicy:1.0";
  static constexpr std::size_t components_max = 32;
  /// The limit of the data of all components. A server with several addresses repeats them for each
  /// address, and IORs as text have 65,536 characters at most by default: eight addresses fit.
  static constexpr std::size_t octets_max = 3072;

  /// Raises IMP_LIMIT for more than `components_max` components or `octets_max` octets: each
  /// profile of a reference repeats them, and clients limit the size of references. Raises
  /// BAD_PARAM for a tag of a component that the ORB itself writes or reads: 0 to 3, 20, 33, 36,
  /// 0x50474c54, and 0x41545402 of omniORB.
  explicit TaggedComponentPolicy(IOP::TaggedComponentSeq components);
  ~TaggedComponentPolicy() override;
  [[nodiscard]] const IOP::TaggedComponentSeq& components() const noexcept { return components_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  const IOP::TaggedComponentSeq components_;
};

/// Makes the policy. Raises the exceptions of the constructor.
[[nodiscard]] PERIGEE_API CORBA::object_reference<CORBA::Policy> make_tagged_components(
    IOP::TaggedComponentSeq components);

}  // namespace perigee

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<perigee::TaggedComponentPolicy>
    : perigee::stub::local_interface_traits<perigee::TaggedComponentPolicy> {};
}  // namespace perigee_v1
}  // namespace IDL
