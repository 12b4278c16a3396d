// The policies of modules Security and SecurityLevel2.
#include <perigee/orb/local_object.h>
#include <perigee/orb/security_policies.h>

namespace SecurityLevel2 {
inline namespace perigee_v1 {

QOPPolicy::~QOPPolicy() = default;
CORBA::PolicyType QOPPolicy::policy_type() const noexcept { return Security::SecQOPPolicy; }
CORBA::object_reference<CORBA::Policy> QOPPolicy::copy() const {
  return CORBA::object_reference<CORBA::Policy>(perigee::make_counted<QOPPolicy>(qop_));
}
bool QOPPolicy::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || Policy::_implements(repository_id);
}

EstablishTrustPolicy::~EstablishTrustPolicy() = default;
CORBA::PolicyType EstablishTrustPolicy::policy_type() const noexcept {
  return Security::SecEstablishTrustPolicy;
}
CORBA::object_reference<CORBA::Policy> EstablishTrustPolicy::copy() const {
  return CORBA::object_reference<CORBA::Policy>(
      perigee::make_counted<EstablishTrustPolicy>(trust_));
}
bool EstablishTrustPolicy::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || Policy::_implements(repository_id);
}

}  // namespace perigee_v1
}  // namespace SecurityLevel2
