// A policy of Perigee's own: from which size on the strings and sequences of a request are sent
// from the caller's memory, without a copy. Set by `Object::_set_policy_overrides`, PolicyCurrent
// or PolicyManager. See docs/policies.md.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/object.h>
#include <perigee/orb/policy.h>

#include <cstdint>
#include <string_view>

namespace perigee {

inline constexpr CORBA::PolicyType LINK_SIZE_POLICY_TYPE = CORBA::PERIGEE_VMCID | 3;

/// Strings and sequences of numbers of at least this many octets are linked to the request: the ORB
/// sends them from the caller's memory. Smaller ones are copied into the request. The policy
/// replaces -ORBLinkSizeMin of the client.
class PERIGEE_API LinkSizePolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<LinkSizePolicy>;
  static constexpr std::string_view _type_id = "IDL:perigee/LinkSizePolicy:1.0";

  /// `size_min`: octets. Zero counts as 1.
  explicit LinkSizePolicy(std::uint32_t size_min) noexcept
      : size_min_(size_min == 0 ? 1 : size_min) {}
  ~LinkSizePolicy() override;
  [[nodiscard]] std::uint32_t link_size_min() const noexcept { return size_min_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  std::uint32_t size_min_;
};

}  // namespace perigee

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<perigee::LinkSizePolicy>
    : perigee::stub::local_interface_traits<perigee::LinkSizePolicy> {};
}  // namespace perigee_v1
}  // namespace IDL
