// Makes the types that definitions use. Each use of a sequence, array or bounded string makes a new
// object of the repository.
#include "loader.h"

#include <limits>

namespace perigee::ifr {

using CORBA::PrimitiveKind;
using idlc::Location;
using idlc::Type;
using idlc::TypeKind;

namespace {

/// Returns pk_null if the type is not a primitive type.
PrimitiveKind primitive_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::void_type:
      return PrimitiveKind::pk_void;
    case TypeKind::boolean:
      return PrimitiveKind::pk_boolean;
    case TypeKind::octet:
    case TypeKind::uint8:
      return PrimitiveKind::pk_octet;
    case TypeKind::char8:
      return PrimitiveKind::pk_char;
    case TypeKind::wchar:
      return PrimitiveKind::pk_wchar;
    case TypeKind::int16:
      return PrimitiveKind::pk_short;
    case TypeKind::uint16:
      return PrimitiveKind::pk_ushort;
    case TypeKind::int32:
      return PrimitiveKind::pk_long;
    case TypeKind::uint32:
      return PrimitiveKind::pk_ulong;
    case TypeKind::int64:
      return PrimitiveKind::pk_longlong;
    case TypeKind::uint64:
      return PrimitiveKind::pk_ulonglong;
    case TypeKind::float32:
      return PrimitiveKind::pk_float;
    case TypeKind::float64:
      return PrimitiveKind::pk_double;
    case TypeKind::float128:
      return PrimitiveKind::pk_longdouble;
    case TypeKind::any:
      return PrimitiveKind::pk_any;
    case TypeKind::object:
      return PrimitiveKind::pk_objref;
    case TypeKind::value_base:
      return PrimitiveKind::pk_value_base;
    case TypeKind::type_code:
      return PrimitiveKind::pk_TypeCode;
    case TypeKind::string:
      return type.bound == 0 ? PrimitiveKind::pk_string : PrimitiveKind::pk_null;
    case TypeKind::wstring:
      return type.bound == 0 ? PrimitiveKind::pk_wstring : PrimitiveKind::pk_null;
    default:
      return PrimitiveKind::pk_null;
  }
}

}  // namespace

std::string describe(const Location& location) {
  if (location.file == nullptr) return "?";
  return location.file->path + ":" + std::to_string(location.line) + ":" +
         std::to_string(location.column);
}

CORBA::object_reference<CORBA::IDLType> Loader::type_of(const Type& type,
                                                        const Location& location) {
  const PrimitiveKind primitive = primitive_of(type);
  if (primitive != PrimitiveKind::pk_null) return repository_->get_primitive(primitive);
  if (type.declaration != nullptr && type.kind != TypeKind::bitmask &&
      type.kind != TypeKind::bitset)
    return IDL::traits<CORBA::IDLType>::unchecked_narrow(ensure(*type.declaration));
  return unnamed_type(type, location);
}

void Loader::require(const Type& type) {
  const Type* inner = &type;
  while (inner->element != nullptr) inner = inner->element;
  if (inner->declaration != nullptr && primitive_of(*inner) == PrimitiveKind::pk_null &&
      inner->kind != TypeKind::bitmask && inner->kind != TypeKind::bitset)
    (void)ensure(*inner->declaration);
}

CORBA::object_reference<CORBA::IDLType> Loader::unnamed_type(const Type& type,
                                                             const Location& location) {
  const auto count = [&](std::uint64_t number) {
    if (number > std::numeric_limits<std::uint32_t>::max())
      throw NotDescribed(describe(location) + ": a bound is larger than 4294967295");
    return static_cast<std::uint32_t>(number);
  };
  switch (type.kind) {
    case TypeKind::string:
      return repository_->create_string(count(type.bound));
    case TypeKind::wstring:
      return repository_->create_wstring(count(type.bound));
    case TypeKind::fixed:
      return repository_->create_fixed(type.digits, static_cast<std::int16_t>(type.scale));
    case TypeKind::sequence:
      return repository_->create_sequence(count(type.bound), type_of(*type.element, location));
    case TypeKind::array: {
      Ref<CORBA::IDLType> result = type_of(*type.element, location);
      for (auto length = type.dimensions.rbegin(); length != type.dimensions.rend(); ++length)
        result = repository_->create_array(count(*length), result);
      return result;
    }
    default:
      throw NotDescribed(
          describe(location) +
          ": the repository cannot describe this type of IDL 4 (int8, map, optional, "
          "bitmask, bitset)");
  }
}

}  // namespace perigee::ifr
