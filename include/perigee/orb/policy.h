// CORBA::Policy: the base of all policies. Policies are immutable values behind a local interface.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/object.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace CORBA {
inline namespace perigee_v1 {

/// Identifies a kind of policy. Source: CORBA 3.0, 4.8.
using PolicyType = std::uint32_t;

/// A policy: what kind it is; the derived class says the value.
class PERIGEE_API Policy : public Object {
 public:
  using _ref_type = object_reference<Policy>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/Policy:1.0";

  ~Policy() override;
  [[nodiscard]] virtual PolicyType policy_type() const noexcept = 0;
  [[nodiscard]] virtual object_reference<Policy> copy() const = 0;
  /// Nothing to do: policies are counted. Kept for sources written to the standard.
  void destroy() noexcept {}

 protected:
  Policy() = default;
};

using PolicyList = std::vector<object_reference<Policy>>;

}  // namespace perigee_v1
}  // namespace CORBA

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::Policy> : perigee::stub::local_interface_traits<CORBA::Policy> {};
}  // namespace perigee_v1
}  // namespace IDL
