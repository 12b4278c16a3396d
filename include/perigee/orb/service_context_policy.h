// A policy of Perigee's own: service contexts that each request of a reference, a thread or an ORB
// carries. Set by `Object::_set_policy_overrides`, PolicyCurrent or PolicyManager. Functions of
// <perigee/orb/with_policies.h> make it, and so does ORB::create_policy. Servants read the contexts
// with functions of <perigee/poa/request_contexts.h>. See docs/policies.md.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/iop_types.h>
#include <perigee/orb/object.h>
#include <perigee/orb/policy.h>

#include <cstddef>
#include <string_view>

namespace perigee {

inline constexpr CORBA::PolicyType SERVICE_CONTEXT_POLICY_TYPE = CORBA::PERIGEE_VMCID | 4;

/// Each request carries these service contexts: synchronous, asynchronous and collocated calls, and
/// oneways. A policy of a nearer level replaces the whole list; an empty list sends none. With
/// client interceptors, the request has the contexts before `send_request` runs: an interceptor may
/// read and replace them.
class PERIGEE_API ServiceContextPolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<ServiceContextPolicy>;
  static constexpr std::string_view _type_id = "IDL:perigee/ServiceContextPolicy:1.0";
  static constexpr std::size_t contexts_max = 32;
  static constexpr std::size_t octets_max = 65536;  ///< limit of the data of all contexts

  /// Raises IMP_LIMIT for more than `contexts_max` contexts or `octets_max` octets. Raises
  /// BAD_PARAM for an id that occurs twice, and for an id of a context that the ORB itself sends:
  /// 1, 5, 14, and 0x50474500 to 0x504745ff.
  explicit ServiceContextPolicy(IOP::ServiceContextList contexts);
  ~ServiceContextPolicy() override;
  [[nodiscard]] const IOP::ServiceContextList& contexts() const noexcept { return contexts_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  const IOP::ServiceContextList contexts_;
};

}  // namespace perigee

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<perigee::ServiceContextPolicy>
    : perigee::stub::local_interface_traits<perigee::ServiceContextPolicy> {};
}  // namespace perigee_v1
}  // namespace IDL
