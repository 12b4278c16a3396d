// The policies of calls over TLS: QOPPolicy (protection) and EstablishTrustPolicy. Set by
// `Object::_set_policy_overrides`, PolicyCurrent or PolicyManager. See docs/security.md.
// Source: CORBA Security 1.8, 2.3.8 and 2.7.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/policy.h>

#include <cstdint>
#include <string_view>

namespace Security {
inline namespace perigee_v1 {

inline constexpr CORBA::PolicyType SecQOPPolicy = 15;
inline constexpr CORBA::PolicyType SecEstablishTrustPolicy = 39;

/// The protection of messages. TLS always gives integrity and confidentiality together.
enum class QOP : std::uint32_t {
  SecQOPNoProtection,
  SecQOPIntegrity,
  SecQOPConfidentiality,
  SecQOPIntegrityAndConfidentiality
};

/// Which identities a connection has to prove.
struct EstablishTrust {
  bool trust_in_client = false;  ///< ignored: the server decides
  bool trust_in_target = true;   ///< the certificate of the server is verified
};

}  // namespace perigee_v1
}  // namespace Security

namespace SecurityLevel2 {
inline namespace perigee_v1 {

/// With any QOP but SecQOPNoProtection, calls use only protocols that protect messages (TLS),
/// whatever a ClientProtocolPolicy lists. A call raises INV_POLICY if it can use none.
class PERIGEE_API QOPPolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<QOPPolicy>;
  static constexpr std::string_view _type_id = "IDL:omg.org/SecurityLevel2/QOPPolicy:1.0";

  explicit QOPPolicy(Security::QOP qop) noexcept : qop_(qop) {}
  ~QOPPolicy() override;
  [[nodiscard]] Security::QOP qop() const noexcept { return qop_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  Security::QOP qop_;
};

/// With `trust_in_target`, calls use only TLS, and verify the certificate of the server. Without
/// `trust_in_target`, calls over TLS do not verify the certificate: for tests with self-signed
/// certificates.
class PERIGEE_API EstablishTrustPolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<EstablishTrustPolicy>;
  static constexpr std::string_view _type_id =
      "IDL:omg.org/SecurityLevel2/EstablishTrustPolicy:1.0";

  explicit EstablishTrustPolicy(Security::EstablishTrust trust) noexcept : trust_(trust) {}
  ~EstablishTrustPolicy() override;
  [[nodiscard]] Security::EstablishTrust trust() const noexcept { return trust_; }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  Security::EstablishTrust trust_;
};

}  // namespace perigee_v1
}  // namespace SecurityLevel2

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<SecurityLevel2::QOPPolicy>
    : perigee::stub::local_interface_traits<SecurityLevel2::QOPPolicy> {};
template <>
struct traits<SecurityLevel2::EstablishTrustPolicy>
    : perigee::stub::local_interface_traits<SecurityLevel2::EstablishTrustPolicy> {};
}  // namespace perigee_v1
}  // namespace IDL
