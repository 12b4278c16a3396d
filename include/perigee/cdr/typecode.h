// Descriptions of types (TypeCodes) as plain nodes, their CDR encoding, and walking values by them.
// CORBA::TypeCode and CORBA::Any stand on this. Throws nothing, does no I/O.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::cdr {

/// The kinds of types, with their numbers on the wire. Source: CORBA 3.0, 15.3.5.1.
///
/// The OMG has no numbers for the types of IDL 4: those below `tk_int8` are our own, used with
/// `perigee-idl --idl=4` only, and no other ORB knows them.
enum class TypeKind : std::uint32_t {
  tk_null,
  tk_void,
  tk_short,
  tk_long,
  tk_ushort,
  tk_ulong,
  tk_float,
  tk_double,
  tk_boolean,
  tk_char,
  tk_octet,
  tk_any,
  tk_TypeCode,
  tk_Principal,
  tk_objref,
  tk_struct,
  tk_union,
  tk_enum,
  tk_string,
  tk_sequence,
  tk_array,
  tk_alias,
  tk_except,
  tk_longlong,
  tk_ulonglong,
  tk_longdouble,
  tk_wchar,
  tk_wstring,
  tk_fixed,
  tk_value,
  tk_value_box,
  tk_native,
  tk_abstract_interface,
  tk_local_interface,
  tk_component,
  tk_home,
  tk_event,

  tk_int8 = 0x50470001,  ///< an octet on the wire
  tk_map,                ///< a sequence of pairs of key and element
  tk_bitmask,            ///< an unsigned integer that is wide enough for the flags
  tk_bitset,             ///< an unsigned integer that is wide enough for all fields
  tk_valued_enum,        ///< an integer that is wide enough for the enumerators' values

  tk_recursive = 0x5047ffff,  ///< never on the wire: stands for a TypeCode that is being created
};

struct TypeNode;

/// A member of a struct, exception, union, enum or valuetype, or a bitmask's flag.
struct TypeMember {
  std::string_view name = {};
  const TypeNode* type = nullptr;  ///< nullptr for enumerators and flags
  /// A union's label (enumerators as ordinals or values, characters as code points), the value of
  /// an enumerator that has one, a state member's visibility, a flag's position, a bit field's
  /// size.
  std::int64_t label = 0;
};

/// One type. Nodes point to each other, in circles where types are recursive, and own nothing:
/// generated ones are constants, decoded ones live in an arena that a TypeRef keeps.
struct TypeNode {
  TypeKind kind = TypeKind::tk_null;
  /// Strings, sequences, maps: the bound, 0 for none. Arrays: the length. Bitmasks, bitsets, enums
  /// with values: the number of bits.
  std::uint32_t bound = 0;
  std::uint16_t digits = 0;         ///< of fixed
  std::int16_t scale = 0;           ///< of fixed; for valuetypes the modifier
  std::int32_t default_index = -1;  ///< the union member that is the default; -1: none
  // Every field has a value of its own, so that compilers do not ask for those left out.
  std::string_view id = {};    ///< repository id; may be empty
  std::string_view name = {};  ///< may be empty
  /// Sequence, array, map: the element. Alias, value box: what is behind it. Union: the
  /// discriminator. Valuetype: the concrete base, or nullptr.
  const TypeNode* content = nullptr;
  const TypeNode* key = nullptr;  ///< of a map
  std::span<const TypeMember> members = {};
  /// What a peer sent as this TypeCode's encapsulation; empty if it was not decoded, or is part of
  /// another. Sent again as it is, but for unions over wchar: their labels are written anew.
  OctetSpan encapsulation = {};
};

/// The nodes of the types that have no parameters.
template <TypeKind Kind>
inline constexpr TypeNode basic_node{.kind = Kind};  // NOLINT(google-readability-casting)

/// @name The nodes of types without names, for generated code: one per type in a program.
/// @{
template <std::uint32_t Bound = 0>
inline constexpr TypeNode string_node{.kind = TypeKind::tk_string, .bound = Bound};
template <std::uint32_t Bound = 0>
inline constexpr TypeNode wstring_node{.kind = TypeKind::tk_wstring, .bound = Bound};
template <std::uint16_t Digits, std::int16_t Scale>
inline constexpr TypeNode fixed_node{.kind = TypeKind::tk_fixed, .digits = Digits, .scale = Scale};
template <const TypeNode& Element, std::uint32_t Bound = 0>
inline constexpr TypeNode sequence_node{
    .kind = TypeKind::tk_sequence, .bound = Bound, .content = &Element};
template <const TypeNode& Element, std::uint32_t Length>
inline constexpr TypeNode array_node{
    .kind = TypeKind::tk_array, .bound = Length, .content = &Element};
template <const TypeNode& Key, const TypeNode& Element, std::uint32_t Bound = 0>
inline constexpr TypeNode map_node{
    .kind = TypeKind::tk_map, .bound = Bound, .content = &Element, .key = &Key};
/// CORBA::Object and CORBA::ValueBase.
inline constexpr TypeNode object_node{
    .kind = TypeKind::tk_objref, .id = "IDL:omg.org/CORBA/Object:1.0", .name = "Object"};
inline constexpr TypeNode value_base_node{
    .kind = TypeKind::tk_value, .id = "IDL:omg.org/CORBA/ValueBase:1.0", .name = "ValueBase"};
/// @}

/// A node, and what keeps it alive: nullptr for constants. The arena is shared by all references to
/// parts of one TypeCode.
struct TypeRef {
  const TypeNode* node = &basic_node<TypeKind::tk_null>;
  std::shared_ptr<const void> owner;
};

/// What a TypeCode may be, from the network as from the application.
struct TypeLimits {
  std::uint32_t depth_max = 64;       ///< TypeCodes inside each other
  std::uint32_t nodes_max = 16'384;   ///< parts of one TypeCode, in memory and as written
  std::size_t octets_max = 16 << 20;  ///< as written, where it is not sent as it came
};

/// Writes a TypeCode. Recursion is written as indirections, nothing else is: some ORBs do not read
/// others (interop fact 38). `too_deep`, `too_large` beyond the limits; `bad_value` for recursion
/// that leads nowhere.
PERIGEE_API void encode_type(Encoder& encoder, const TypeNode& type, TypeLimits limits = {});

/// Reads a TypeCode. Indirections must lead back, to a TypeCode inside the same top-level one; if
/// that is not complete, the circle must go through a struct, a union or a valuetype. `bad_value`
/// otherwise, and for what no type can be (a union over floats). After an error the type is
/// tk_null.
PERIGEE_API TypeRef decode_type(Decoder& decoder, TypeLimits limits = {});

/// The type without aliases around it.
PERIGEE_API const TypeNode& unaliased(const TypeNode& type) noexcept;

/// Whether a union may switch over the kind (of an unaliased type).
PERIGEE_API bool is_discriminator(TypeKind kind) noexcept;

/// An enumerator of an enum, of either kind: its ordinal or its value. Reading one that is none
/// fails with `bad_enum` in plain enums; in those with values it is not looked for.
PERIGEE_API void write_enumerator(Encoder& encoder, const TypeNode& type, std::int64_t enumerator);
PERIGEE_API std::int64_t read_enumerator(Decoder& decoder, const TypeNode& type) noexcept;

/// Whether both have the same parts, names and ids included. Types beyond the limits are unequal.
PERIGEE_API bool equal(const TypeNode& a, const TypeNode& b, TypeLimits limits = {});
/// Whether values of one are values of the other: aliases do not count, ids decide where both have
/// one, names never count. Source: CORBA 3.0, 4.11.1.
PERIGEE_API bool equivalent(const TypeNode& a, const TypeNode& b, TypeLimits limits = {});

/// A copy without names and member names. Source: CORBA 3.0, 4.11.1.
PERIGEE_API TypeRef compact_copy(const TypeNode& type, TypeLimits limits = {});
/// A copy without aliases either: what decides whether types are equivalent, if they have ids.
PERIGEE_API TypeRef bare_copy(const TypeNode& type, TypeLimits limits = {});
/// A copy that owns all its parts. Nodes of kind tk_recursive with the copy's own id become the
/// copy itself. tk_null beyond the limits.
PERIGEE_API TypeRef deep_copy(const TypeNode& type, TypeLimits limits = {});

/// The type as IDL would write it. Types inside it appear by name. Cut after 64 Ki octets.
PERIGEE_API std::string to_text(const TypeNode& type);

/// Steps over a value, and checks it as far as its type says what is right.
///
/// Work is bounded by the octets at hand, whatever the type. `not_supported` for valuetypes other
/// than null, `local_object` for what cannot be marshalled.
PERIGEE_API void skip_value(Decoder& decoder, const TypeNode& type);
/// How `copy_value` writes TypeCodes inside values: as they came, or for comparing: TypeCodes anew,
/// so that equal ones are equal octets, and those of anys without names and aliases.
enum class InnerTypes : std::uint8_t { as_they_came, anew };
/// The same, and writes the value again in the encoder's byte order, alignment and code sets.
PERIGEE_API void copy_value(Decoder& decoder, Encoder& encoder, const TypeNode& type,
                            InnerTypes inner_types = InnerTypes::as_they_came);

}  // namespace perigee::cdr
