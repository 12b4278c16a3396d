// The enums of orb.idl that operations may have as parameters: CORBA::TCKind,
// CORBA::SetOverrideType and CORBA::ParameterMode. Here are their marshalling, their TypeCodes and
// their use in anys.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/object.h>
#include <perigee/orb/typecode.h>

#include <cstdint>
#include <string_view>

namespace CORBA {
inline namespace perigee_v1 {
/// The direction of an argument.
enum class ParameterMode : std::uint32_t { PARAM_IN, PARAM_OUT, PARAM_INOUT };
}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::any {

PERIGEE_API extern const cdr::TypeNode _type_TCKind;
PERIGEE_API extern const cdr::TypeNode _type_SetOverrideType;
PERIGEE_API extern const cdr::TypeNode _type_ParameterMode;

template <typename T>
struct Traits;
template <>
struct Traits<CORBA::TCKind> {
  static constexpr const cdr::TypeNode& type = _type_TCKind;
};
template <>
struct Traits<CORBA::SetOverrideType> {
  static constexpr const cdr::TypeNode& type = _type_SetOverrideType;
};
template <>
struct Traits<CORBA::ParameterMode> {
  static constexpr const cdr::TypeNode& type = _type_ParameterMode;
};

}  // namespace perigee::any

namespace perigee::cdr {

/// The number of kinds that the OMG defines. A receiver refuses Perigee's own kinds, for types of
/// IDL 4, since their numbers are higher.
inline constexpr std::uint32_t standard_kinds = static_cast<std::uint32_t>(TypeKind::tk_event) + 1;

inline Encoder& operator<<(Encoder& encoder, TypeKind kind) {
  encoder.write_enum(static_cast<std::uint32_t>(kind));
  return encoder;
}
inline Decoder& operator>>(Decoder& decoder, TypeKind& kind) {
  kind = static_cast<TypeKind>(decoder.read_enum(standard_kinds));
  return decoder;
}

}  // namespace perigee::cdr

namespace CORBA {
inline namespace perigee_v1 {

inline constexpr TypeCodeConstant _tc_TCKind{&perigee::any::_type_TCKind};
inline constexpr TypeCodeConstant _tc_SetOverrideType{&perigee::any::_type_SetOverrideType};
inline constexpr TypeCodeConstant _tc_ParameterMode{&perigee::any::_type_ParameterMode};

[[nodiscard]] constexpr std::string_view _enumerator_name(SetOverrideType type) noexcept {
  switch (type) {
    case SetOverrideType::SET_OVERRIDE:
      return "SET_OVERRIDE";
    case SetOverrideType::ADD_OVERRIDE:
      return "ADD_OVERRIDE";
  }
  return {};
}

inline perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder, SetOverrideType type) {
  encoder.write_enum(static_cast<std::uint32_t>(type));
  return encoder;
}
inline perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder, SetOverrideType& type) {
  type = static_cast<SetOverrideType>(decoder.read_enum(2));
  return decoder;
}

[[nodiscard]] constexpr std::string_view _enumerator_name(ParameterMode mode) noexcept {
  switch (mode) {
    case ParameterMode::PARAM_IN:
      return "PARAM_IN";
    case ParameterMode::PARAM_OUT:
      return "PARAM_OUT";
    case ParameterMode::PARAM_INOUT:
      return "PARAM_INOUT";
  }
  return {};
}

inline perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder, ParameterMode mode) {
  encoder.write_enum(static_cast<std::uint32_t>(mode));
  return encoder;
}
inline perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder, ParameterMode& mode) {
  mode = static_cast<ParameterMode>(decoder.read_enum(3));
  return decoder;
}

}  // namespace perigee_v1
}  // namespace CORBA
