// A policy of Perigee's own: when buffered oneways are sent. Oneways with SYNC_NONE wait to be sent
// together. Made by `make_buffering_constraint` or `ORB::create_policy`, set by
// `Object::_set_policy_overrides`, PolicyCurrent or PolicyManager. See docs/policies.md.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/policy.h>

#include <cstdint>
#include <string_view>

namespace CORBA {
inline namespace perigee_v1 {
class ORB;
}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee {

inline constexpr CORBA::PolicyType BUFFERING_CONSTRAINT_POLICY_TYPE = CORBA::PERIGEE_VMCID | 2;

/// The oneways that wait on a connection are sent when they reach the first of these limits; zero
/// means no limit. They are always sent before they take 256 KiB, and before any other message on
/// the connection. They are also sent by `flush_oneways`, by the ORB's destruction, and by a
/// shutdown that waits.
struct BufferingConstraint {
  std::uint32_t message_count = 0;      ///< requests
  std::uint32_t message_bytes = 65536;  ///< octets of requests, with headers
  TimeBase::TimeT timeout = 10'000;     ///< in units of 100 ns, since the first waiting call
};

/// @name The value in an any, for `ORB::create_policy`: a struct with these members.
/// @{
inline cdr::Encoder& operator<<(cdr::Encoder& encoder, const BufferingConstraint& constraint) {
  encoder.write(constraint.message_count);
  encoder.write(constraint.message_bytes);
  encoder.write(constraint.timeout);
  return encoder;
}
inline cdr::Decoder& operator>>(cdr::Decoder& decoder, BufferingConstraint& constraint) {
  constraint.message_count = decoder.read<std::uint32_t>();
  constraint.message_bytes = decoder.read<std::uint32_t>();
  constraint.timeout = decoder.read<TimeBase::TimeT>();
  return decoder;
}
inline constexpr cdr::TypeMember buffering_constraint_members[] = {
    {"message_count", &cdr::basic_node<cdr::TypeKind::tk_ulong>},
    {"message_bytes", &cdr::basic_node<cdr::TypeKind::tk_ulong>},
    {"timeout", &cdr::basic_node<cdr::TypeKind::tk_ulonglong>},
};
inline constexpr cdr::TypeNode buffering_constraint_node{
    .kind = cdr::TypeKind::tk_struct,
    .id = "IDL:perigee/BufferingConstraint:1.0",
    .name = "BufferingConstraint",
    .members = buffering_constraint_members,
};
/// @}

class PERIGEE_API BufferingConstraintPolicy final : public CORBA::Policy {
 public:
  using _ref_type = CORBA::object_reference<BufferingConstraintPolicy>;
  static constexpr std::string_view _type_id = "IDL:perigee/BufferingConstraintPolicy:1.0";

  explicit BufferingConstraintPolicy(const BufferingConstraint& constraint) noexcept
      : constraint_(constraint) {}
  ~BufferingConstraintPolicy() override;
  [[nodiscard]] const BufferingConstraint& buffering_constraint() const noexcept {
    return constraint_;
  }
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override;
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override;

 private:
  BufferingConstraint constraint_;
};

/// Makes the policy, for `_set_policy_overrides` and similar functions.
PERIGEE_API CORBA::object_reference<CORBA::Policy> make_buffering_constraint(
    const BufferingConstraint& constraint);

/// Sends all oneways of this ORB that wait. Blocks until the transports have taken them, or until
/// they are queued behind the message of another thread. Raises COMM_FAILURE, COMPLETED_MAYBE, if
/// oneways were lost since the last call; the exception says how many. Raises TIMEOUT,
/// COMPLETED_MAYBE, if oneways still wait.
PERIGEE_API void flush_oneways(CORBA::ORB& orb);

}  // namespace perigee

template <>
struct perigee::any::Traits<perigee::BufferingConstraint> {
  static constexpr const perigee::cdr::TypeNode& type = perigee::buffering_constraint_node;
};

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<perigee::BufferingConstraintPolicy>
    : perigee::stub::local_interface_traits<perigee::BufferingConstraintPolicy> {};
}  // namespace perigee_v1
}  // namespace IDL
