// BidirectionalPolicy: calls in both directions over one connection. Made by `ORB::create_policy`;
// given to `create_POA`, or set by `Object::_set_policy_overrides`, PolicyCurrent or PolicyManager.
// See docs/policies.md. Source: CORBA 3.0, 15.9.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/policy.h>

#include <cstdint>
#include <string_view>

namespace BiDirPolicy {
inline namespace perigee_v1 {

inline constexpr CORBA::PolicyType BIDIRECTIONAL_POLICY_TYPE = 37;

using BidirectionalPolicyValue = std::uint16_t;
inline constexpr BidirectionalPolicyValue NORMAL = 0;  ///< the default
inline constexpr BidirectionalPolicyValue BOTH = 1;

/// BOTH on a POA: its objects may be called over connections that this ORB has opened. BOTH for
/// calls of a client: the client offers the connection to the server, for calls of the server. BOTH
/// for calls of a server: the server calls the objects of a client over the connection that the
/// client has offered.
class PERIGEE_API BidirectionalPolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<BidirectionalPolicy>;
  static constexpr std::string_view _type_id = "IDL:omg.org/BiDirPolicy/BidirectionalPolicy:1.0";

  explicit BidirectionalPolicy(BidirectionalPolicyValue value) noexcept : value_(value) {}
  ~BidirectionalPolicy() override;
  [[nodiscard]] BidirectionalPolicyValue value() const noexcept { return value_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  BidirectionalPolicyValue value_;
};

}  // namespace perigee_v1
}  // namespace BiDirPolicy

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<BiDirPolicy::BidirectionalPolicy>
    : perigee::stub::local_interface_traits<BiDirPolicy::BidirectionalPolicy> {};
}  // namespace perigee_v1
}  // namespace IDL
