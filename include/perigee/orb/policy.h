// CORBA::Policy: the base of all policies. Policies are immutable values behind a local interface.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/object.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CORBA {
inline namespace perigee_v1 {

/// Identifies a type of policy. Source: CORBA 3.0, 4.8.
using PolicyType = std::uint32_t;

/// A policy. This class gives the policy's type; the derived class has the value.
class PERIGEE_API Policy : public virtual LocalObject {
 public:
  using _ref_type = object_reference<Policy>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/Policy:1.0";

  ~Policy() override;
  [[nodiscard]] virtual PolicyType policy_type() const noexcept = 0;
  [[nodiscard]] virtual object_reference<Policy> copy() const = 0;
  /// Does nothing, since policies are counted. Kept for programs written to the standard.
  void destroy() noexcept {}

 protected:
  Policy() = default;
};

using PolicyList = std::vector<object_reference<Policy>>;
using PolicyTypeSeq = std::vector<PolicyType>;

/// Why a policy cannot be made. Source: CORBA 3.0, 4.8.2.
using PolicyErrorCode = std::int16_t;
inline constexpr PolicyErrorCode BAD_POLICY = 0;                ///< unknown type
inline constexpr PolicyErrorCode UNSUPPORTED_POLICY = 1;        ///< known type, not supported
inline constexpr PolicyErrorCode BAD_POLICY_TYPE = 2;           ///< the value is of another type
inline constexpr PolicyErrorCode BAD_POLICY_VALUE = 3;          ///< not a value of that type
inline constexpr PolicyErrorCode UNSUPPORTED_POLICY_VALUE = 4;  ///< valid value, not supported

/// Raised by ORB::create_policy.
class PERIGEE_API PolicyError final : public UserException {
 public:
  PolicyError() = default;
  explicit PolicyError(PolicyErrorCode reason, std::string detail = {}) noexcept
      : reason_(reason), detail_(std::move(detail)) {}
  ~PolicyError() override;
  [[nodiscard]] PolicyErrorCode reason() const noexcept { return reason_; }
  void reason(PolicyErrorCode reason) noexcept { reason_ = reason; }
  /// The policy and the reason, as a text for readers of logs. May be empty. Part of `what`, but
  /// not sent to peers.
  [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
  [[nodiscard]] const char* _rep_id() const noexcept override;
  [[nodiscard]] const char* _name() const noexcept override;
  [[noreturn]] void _raise() const override;
  void _encode(perigee::cdr::Encoder& encoder) const override;

 private:
  void _describe(std::string& text) const override;

  PolicyErrorCode reason_ = BAD_POLICY;
  std::string detail_;
};

/// Raised by `set_policy_overrides`, with the policies of the list that cannot be set.
class PERIGEE_API InvalidPolicies final : public UserException {
 public:
  InvalidPolicies() = default;
  explicit InvalidPolicies(std::vector<std::uint16_t> indices, std::string detail = {}) noexcept
      : indices_(std::move(indices)), detail_(std::move(detail)) {}
  ~InvalidPolicies() override;
  [[nodiscard]] const std::vector<std::uint16_t>& indices() const noexcept { return indices_; }
  [[nodiscard]] std::vector<std::uint16_t>& indices() noexcept { return indices_; }
  void indices(std::vector<std::uint16_t> indices) noexcept { indices_ = std::move(indices); }
  /// The policies and the reason, as a text for readers of logs. May be empty. Part of `what`, but
  /// not sent to peers.
  [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
  [[nodiscard]] const char* _rep_id() const noexcept override;
  [[nodiscard]] const char* _name() const noexcept override;
  [[noreturn]] void _raise() const override;
  void _encode(perigee::cdr::Encoder& encoder) const override;

 private:
  void _describe(std::string& text) const override;

  std::vector<std::uint16_t> indices_;
  std::string detail_;
};

}  // namespace perigee_v1
}  // namespace CORBA

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::Policy> : perigee::stub::local_interface_traits<CORBA::Policy> {};
}  // namespace perigee_v1
}  // namespace IDL
