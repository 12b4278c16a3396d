// CORBA::Policy and what goes wrong with policies: what is not in the header.
#include <perigee/cdr/encoder.h>
#include <perigee/orb/policy.h>

namespace CORBA {
inline namespace perigee_v1 {

Policy::~Policy() = default;

PolicyError::~PolicyError() = default;
const char* PolicyError::_rep_id() const noexcept { return "IDL:omg.org/CORBA/PolicyError:1.0"; }
const char* PolicyError::_name() const noexcept { return "PolicyError"; }
void PolicyError::_raise() const { throw *this; }
void PolicyError::_encode(perigee::cdr::Encoder& encoder) const { encoder.write(reason_); }

InvalidPolicies::~InvalidPolicies() = default;
const char* InvalidPolicies::_rep_id() const noexcept {
  return "IDL:omg.org/CORBA/InvalidPolicies:1.0";
}
const char* InvalidPolicies::_name() const noexcept { return "InvalidPolicies"; }
void InvalidPolicies::_raise() const { throw *this; }
void InvalidPolicies::_encode(perigee::cdr::Encoder& encoder) const {
  encoder.write_length(indices_.size());
  for (const std::uint16_t index : indices_) encoder.write(index);
}

}  // namespace perigee_v1
}  // namespace CORBA
