// The values of the POA's policies in CORBA::Any, for ORB::create_policy: `any <<= value`.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any_operators.h>
#include <perigee/poa/policies.h>

namespace perigee::types::PortableServer {
#define PERIGEE_POLICY_VALUE(NAME) extern PERIGEE_API const cdr::TypeNode _type_##NAME##Value;
PERIGEE_POLICY_VALUE(ThreadPolicy)
PERIGEE_POLICY_VALUE(LifespanPolicy)
PERIGEE_POLICY_VALUE(IdUniquenessPolicy)
PERIGEE_POLICY_VALUE(IdAssignmentPolicy)
PERIGEE_POLICY_VALUE(ImplicitActivationPolicy)
PERIGEE_POLICY_VALUE(ServantRetentionPolicy)
PERIGEE_POLICY_VALUE(RequestProcessingPolicy)
#undef PERIGEE_POLICY_VALUE
}  // namespace perigee::types::PortableServer

namespace PortableServer {
inline namespace perigee_v1 {
/// The encoding of the values: enums, checked when they are read.
#define PERIGEE_POLICY_VALUE(NAME, COUNT)                                                        \
  inline perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder, NAME##Value value) {  \
    encoder.write_enum(static_cast<std::uint32_t>(value));                                       \
    return encoder;                                                                              \
  }                                                                                              \
  inline perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder, NAME##Value& value) { \
    value = static_cast<NAME##Value>(decoder.read_enum(COUNT));                                  \
    return decoder;                                                                              \
  }
PERIGEE_POLICY_VALUE(ThreadPolicy, 3)
PERIGEE_POLICY_VALUE(LifespanPolicy, 2)
PERIGEE_POLICY_VALUE(IdUniquenessPolicy, 2)
PERIGEE_POLICY_VALUE(IdAssignmentPolicy, 2)
PERIGEE_POLICY_VALUE(ImplicitActivationPolicy, 2)
PERIGEE_POLICY_VALUE(ServantRetentionPolicy, 2)
PERIGEE_POLICY_VALUE(RequestProcessingPolicy, 3)
#undef PERIGEE_POLICY_VALUE
}  // namespace perigee_v1
}  // namespace PortableServer

#define PERIGEE_POLICY_VALUE(NAME)                           \
  template <>                                                \
  struct perigee::any::Traits<PortableServer::NAME##Value> { \
    static constexpr const perigee::cdr::TypeNode& type =    \
        perigee::types::PortableServer::_type_##NAME##Value; \
  };
PERIGEE_POLICY_VALUE(ThreadPolicy)
PERIGEE_POLICY_VALUE(LifespanPolicy)
PERIGEE_POLICY_VALUE(IdUniquenessPolicy)
PERIGEE_POLICY_VALUE(IdAssignmentPolicy)
PERIGEE_POLICY_VALUE(ImplicitActivationPolicy)
PERIGEE_POLICY_VALUE(ServantRetentionPolicy)
PERIGEE_POLICY_VALUE(RequestProcessingPolicy)
#undef PERIGEE_POLICY_VALUE
