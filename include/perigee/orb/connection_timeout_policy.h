// A policy of Perigee's own: how long connecting may take. Made by `ORB::create_policy`, set by
// `Object::_set_policy_overrides`, PolicyCurrent or PolicyManager. See docs/policies.md.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/policy.h>

#include <string_view>

namespace perigee {

inline constexpr CORBA::PolicyType CONNECTION_TIMEOUT_POLICY_TYPE = CORBA::PERIGEE_VMCID | 1;

/// How long a call waits for new connections, in units of 100 ns, in place of -ORBConnectTimeout.
/// All addresses that the call tries share the time. Zero: the system's own limit. A
/// RelativeRoundtripTimeoutPolicy also applies.
class PERIGEE_API ConnectionTimeoutPolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<ConnectionTimeoutPolicy>;
  static constexpr std::string_view _type_id = "IDL:perigee/ConnectionTimeoutPolicy:1.0";

  explicit ConnectionTimeoutPolicy(TimeBase::TimeT expiry) noexcept : expiry_(expiry) {}
  ~ConnectionTimeoutPolicy() override;
  [[nodiscard]] TimeBase::TimeT relative_expiry() const noexcept { return expiry_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  TimeBase::TimeT expiry_;
};

}  // namespace perigee

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<perigee::ConnectionTimeoutPolicy>
    : perigee::stub::local_interface_traits<perigee::ConnectionTimeoutPolicy> {};
}  // namespace perigee_v1
}  // namespace IDL
