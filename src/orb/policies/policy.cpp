// CORBA::Policy and the exceptions of policies: parts that are not in the header.
#include <perigee/cdr/encoder.h>
#include <perigee/orb/policy.h>

#include <string>
#include <string_view>

namespace CORBA {
inline namespace perigee_v1 {

Policy::~Policy() = default;

namespace {

void append_detail(std::string& text, const std::string& detail) {
  if (!detail.empty()) text += ": " + detail;
}

std::string_view text_of(PolicyErrorCode reason) noexcept {
  switch (reason) {
    case BAD_POLICY:
      return "BAD_POLICY";
    case UNSUPPORTED_POLICY:
      return "UNSUPPORTED_POLICY";
    case BAD_POLICY_TYPE:
      return "BAD_POLICY_TYPE";
    case BAD_POLICY_VALUE:
      return "BAD_POLICY_VALUE";
    case UNSUPPORTED_POLICY_VALUE:
      return "UNSUPPORTED_POLICY_VALUE";
    default:
      return "unknown reason";
  }
}

}  // namespace

PolicyError::~PolicyError() = default;
const char* PolicyError::_rep_id() const noexcept { return "IDL:omg.org/CORBA/PolicyError:1.0"; }
const char* PolicyError::_name() const noexcept { return "PolicyError"; }
void PolicyError::_raise() const { throw *this; }
void PolicyError::_encode(perigee::cdr::Encoder& encoder) const { encoder.write(reason_); }
void PolicyError::_describe(std::string& text) const {
  text.append(_rep_id()).append(" ").append(text_of(reason_));
  append_detail(text, detail_);
}

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
void InvalidPolicies::_describe(std::string& text) const {
  text += _rep_id();
  append_detail(text, detail_);
}

}  // namespace perigee_v1
}  // namespace CORBA
