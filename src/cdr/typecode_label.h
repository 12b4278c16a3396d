// Writes and reads the labels of unions, and classifies the kinds of types. The code that encodes
// and decodes TypeCodes uses this file, and so does the walk over values.
#pragma once

#include <perigee/cdr/typecode.h>

#include <cstdint>

namespace perigee::cdr {

inline constexpr std::uint32_t indirection_tag = 0xffffffff;

/// Whether the parameters of the TypeCode are in an encapsulation.
constexpr bool is_complex(TypeKind kind) noexcept {
  switch (kind) {
    case TypeKind::tk_string:
    case TypeKind::tk_wstring:
    case TypeKind::tk_fixed:
    case TypeKind::tk_longlong:
    case TypeKind::tk_ulonglong:
    case TypeKind::tk_longdouble:
    case TypeKind::tk_wchar:
    case TypeKind::tk_int8:
      return false;
    default:
      return kind >= TypeKind::tk_objref;
  }
}

/// Whether a type of this kind may contain itself, by a recursive TypeCode.
constexpr bool may_recur(TypeKind kind) noexcept {
  return kind == TypeKind::tk_struct || kind == TypeKind::tk_union || kind == TypeKind::tk_value ||
         kind == TypeKind::tk_event;
}

/// Writes and reads a label in the TypeCode of a union.
void write_label(Encoder& encoder, const TypeNode& discriminator, std::int64_t label);
std::int64_t read_label(Decoder& decoder, const TypeNode& discriminator) noexcept;
/// Whether the type is an enum with values, and a value is negative. Looks at all enumerators.
[[nodiscard]] bool has_signed_enumerators(const TypeNode& type) noexcept;
/// Reads one of many labels. The caller calls has_signed_enumerators() for the discriminator once,
/// and passes the result.
std::int64_t read_label(Decoder& decoder, const TypeNode& discriminator,
                        bool signed_enumerators) noexcept;
/// Skips a label that need not be a value of the discriminator.
void skip_label(Decoder& decoder, const TypeNode& discriminator) noexcept;

}  // namespace perigee::cdr
