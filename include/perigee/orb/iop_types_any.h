// The types of module IOP in CORBA::Any: `any <<= contexts`, for ORB::create_policy and for codecs.
// The TypeCodes are those of <IOP.idl>.
#pragma once

#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/operators.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/iop_types.h>
#include <perigee/orb/typecode.h>

#include <cstdint>
#include <utility>
#include <vector>

// NAME: the struct. NUMBER: the type of its number. FIRST, SECOND: its members.
#define PERIGEE_IOP_STRUCTS(X)                           \
  X(ServiceContext, ServiceId, context_id, context_data) \
  X(TaggedComponent, ComponentId, tag, component_data)   \
  X(TaggedProfile, ProfileId, tag, profile_data)
#define PERIGEE_IOP_SEQUENCES(X)        \
  X(ServiceContextList, ServiceContext) \
  X(TaggedComponentSeq, TaggedComponent)

/// The nodes have the names of the types in IDL.
namespace perigee::any::iop_types {

inline constexpr const TypeNode& octets = cdr::sequence_node<cdr::basic_node<TypeKind::tk_octet>>;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are names of types and constants
#define PERIGEE_IOP_TYPE(NAME, NUMBER, FIRST, SECOND)   \
  inline constexpr TypeNode NUMBER{                     \
      .kind = TypeKind::tk_alias,                       \
      .id = "IDL:omg.org/IOP/" #NUMBER ":1.0",          \
      .name = #NUMBER,                                  \
      .content = &cdr::basic_node<TypeKind::tk_ulong>,  \
  };                                                    \
  inline constexpr cdr::TypeMember NAME##_members[] = { \
      {#FIRST, &NUMBER},                                \
      {#SECOND, &octets},                               \
  };                                                    \
  inline constexpr TypeNode NAME{                       \
      .kind = TypeKind::tk_struct,                      \
      .id = "IDL:omg.org/IOP/" #NAME ":1.0",            \
      .name = #NAME,                                    \
      .members = NAME##_members,                        \
  };
PERIGEE_IOP_STRUCTS(PERIGEE_IOP_TYPE)
#undef PERIGEE_IOP_TYPE

#define PERIGEE_IOP_TYPE(NAME, ELEMENT)        \
  inline constexpr TypeNode NAME{              \
      .kind = TypeKind::tk_alias,              \
      .id = "IDL:omg.org/IOP/" #NAME ":1.0",   \
      .name = #NAME,                           \
      .content = &cdr::sequence_node<ELEMENT>, \
  };
PERIGEE_IOP_SEQUENCES(PERIGEE_IOP_TYPE)
#undef PERIGEE_IOP_TYPE

}  // namespace perigee::any::iop_types

namespace IOP {
inline namespace perigee_v1 {

#define PERIGEE_IOP_CODING(NAME, NUMBER, FIRST, SECOND)                                         \
  inline constexpr CORBA::TypeCodeConstant _tc_##NAME{&perigee::any::iop_types::NAME};          \
  inline perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder, const NAME& value) { \
    encoder << value.FIRST() << value.SECOND();                                                 \
    return encoder;                                                                             \
  }                                                                                             \
  inline perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder, NAME& value) {       \
    NUMBER number = 0;                                                                          \
    std::vector<std::uint8_t> data;                                                             \
    decoder >> number >> data;                                                                  \
    value = NAME(number, std::move(data));                                                      \
    return decoder;                                                                             \
  }
PERIGEE_IOP_STRUCTS(PERIGEE_IOP_CODING)
#undef PERIGEE_IOP_CODING

#define PERIGEE_IOP_TYPE(NAME, ELEMENT) \
  inline constexpr CORBA::TypeCodeConstant _tc_##NAME{&perigee::any::iop_types::NAME};
PERIGEE_IOP_SEQUENCES(PERIGEE_IOP_TYPE)
#undef PERIGEE_IOP_TYPE

}  // namespace perigee_v1
}  // namespace IOP

#define PERIGEE_IOP_TRAITS(NAME, NUMBER, FIRST, SECOND)                                  \
  template <>                                                                            \
  struct perigee::any::Traits<IOP::NAME> {                                               \
    static constexpr const perigee::cdr::TypeNode& type = perigee::any::iop_types::NAME; \
  };
PERIGEE_IOP_STRUCTS(PERIGEE_IOP_TRAITS)
#undef PERIGEE_IOP_TRAITS
#undef PERIGEE_IOP_STRUCTS
#undef PERIGEE_IOP_SEQUENCES
// NOLINTEND(bugprone-macro-parentheses)
