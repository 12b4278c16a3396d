// Descriptions of types (TypeCodes) as plain nodes, their CDR encoding, and functions that walk
// through values of these types. CORBA::TypeCode and CORBA::Any use the nodes and functions. The
// functions throw nothing but bad_alloc, and do no I/O.
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
/// The OMG has no numbers for the types of IDL 4. The numbers from `tk_int8` on are Perigee's own.
/// Only `perigee-idl --idl=4` uses them, and no other ORB knows them.
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

  tk_recursive = 0x5047ffff,  ///< never on the wire: a TypeCode that is being created
};

/// "tk_long": the name in IDL. Empty for other numbers. `os << kind` writes it.
[[nodiscard]] PERIGEE_API std::string_view _enumerator_name(TypeKind kind) noexcept;

struct TypeNode;

/// A member of a struct, exception, union, enum or valuetype, or a bitmask's flag.
struct TypeMember {
  std::string_view name = {};
  const TypeNode* type = nullptr;  ///< nullptr for enumerators and flags
  /// One of these: a union's label (enumerators as ordinals or values, characters as code points),
  /// an enumerator's value, a state member's visibility, a flag's position, a bit field's size.
  std::int64_t label = 0;
};

/// One type. Nodes point to each other, in cycles if types are recursive. They own nothing:
/// generated nodes are constants, decoded nodes live in an arena that a TypeRef keeps alive.
struct TypeNode {
  TypeKind kind = TypeKind::tk_null;
  /// Strings, sequences, maps: the bound, 0 for none. Arrays: the length. Bitmasks, bitsets and
  /// enums with values: the number of bits.
  std::uint32_t bound = 0;
  std::uint16_t digits = 0;         ///< of fixed
  std::int16_t scale = 0;           ///< of fixed; for valuetypes the modifier
  std::int32_t default_index = -1;  ///< the union member that is the default; -1: none
  // Every field has a default, so that compilers do not warn about initialisers that omit fields.
  std::string_view id = {};    ///< repository id; may be empty
  std::string_view name = {};  ///< may be empty
  /// Sequence, array, map: the element type. Alias, value box: the type behind it. Union: the
  /// discriminator. Valuetype: the concrete base, or nullptr.
  const TypeNode* content = nullptr;
  const TypeNode* key = nullptr;  ///< the key type of a map
  std::span<const TypeMember> members = {};
  /// The encapsulation that a peer sent for this TypeCode. Empty if the TypeCode was not decoded,
  /// or is part of another TypeCode. It is sent again unchanged, except for unions over wchar:
  /// their labels are encoded anew.
  OctetSpan encapsulation = {};
};

/// The nodes of the types without parameters.
template <TypeKind Kind>
inline constexpr TypeNode basic_node{.kind = Kind};  // NOLINT(google-readability-casting)

/// @name The nodes of types without names, for generated code: one node per type in a program.
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
/// CORBA::Object, CORBA::ValueBase and CORBA::AbstractBase.
inline constexpr TypeNode object_node{
    .kind = TypeKind::tk_objref, .id = "IDL:omg.org/CORBA/Object:1.0", .name = "Object"};
inline constexpr TypeNode value_base_node{
    .kind = TypeKind::tk_value, .id = "IDL:omg.org/CORBA/ValueBase:1.0", .name = "ValueBase"};
inline constexpr TypeNode abstract_base_node{.kind = TypeKind::tk_abstract_interface,
                                             .id = "IDL:omg.org/CORBA/AbstractBase:1.0",
                                             .name = "AbstractBase"};
/// @}

/// A node, and the owner that keeps it alive: nullptr for constants. All references to parts of one
/// TypeCode share its arena.
struct TypeRef {
  const TypeNode* node = &basic_node<TypeKind::tk_null>;
  std::shared_ptr<const void> owner;
};

/// Limits of a TypeCode, whether it comes from the network or from the application.
struct TypeLimits {
  std::uint32_t depth_max = 64;  ///< nested TypeCodes
  /// Parts of one TypeCode, in memory and as written: its types, and its members that have no type
  /// (enumerators, flags).
  std::uint32_t nodes_max = 16'384;
  /// Octets of the TypeCode as written. A received encapsulation that is sent again unchanged is
  /// not limited.
  std::size_t octets_max = 16 << 20;
};

/// Writes a TypeCode. Only recursion is written as indirections, since some ORBs do not read other
/// indirections (interop fact 38 of docs/interop.md). `too_deep`, `too_large` beyond the limits;
/// `bad_value` for recursion to an unknown type.
PERIGEE_API void encode_type(Encoder& encoder, const TypeNode& type, TypeLimits limits = {});

/// Reads a TypeCode. An indirection must lead back to a TypeCode inside the same top-level one. If
/// that TypeCode is not complete, the cycle must contain a struct, a union or a valuetype.
/// `bad_value` otherwise, and for impossible types (a union over floats). After an error the type
/// is tk_null.
PERIGEE_API TypeRef decode_type(Decoder& decoder, TypeLimits limits = {});

/// The type behind all aliases.
PERIGEE_API const TypeNode& unaliased(const TypeNode& type) noexcept;

/// Whether the kind (of an unaliased type) can be the discriminator of a union.
PERIGEE_API bool is_discriminator(TypeKind kind) noexcept;

/// An enumerator of a plain enum (its ordinal), or of an enum with values (its value). Reading an
/// unknown enumerator fails with `bad_enum` in plain enums. Enums with values are not checked.
PERIGEE_API void write_enumerator(Encoder& encoder, const TypeNode& type, std::int64_t enumerator);
PERIGEE_API std::int64_t read_enumerator(Decoder& decoder, const TypeNode& type) noexcept;

/// Whether both types have the same parts, names and ids included. Types beyond the limits are
/// unequal.
PERIGEE_API bool equal(const TypeNode& a, const TypeNode& b, TypeLimits limits = {});
/// Whether both types have the same values. Aliases and names do not count. Ids decide if both
/// types have one. Source: CORBA 3.0, 4.11.1.
PERIGEE_API bool equivalent(const TypeNode& a, const TypeNode& b, TypeLimits limits = {});

/// A copy without names and member names. Source: CORBA 3.0, 4.11.1.
PERIGEE_API TypeRef compact_copy(const TypeNode& type, TypeLimits limits = {});
/// A copy that owns all its parts. Nodes of kind tk_recursive with the copy's own id become the
/// copy itself. tk_null beyond the limits.
PERIGEE_API TypeRef deep_copy(const TypeNode& type, TypeLimits limits = {});

/// The type in the syntax of IDL. Types inside it appear by name. Cut after 64 Ki octets.
PERIGEE_API std::string to_text(const TypeNode& type);

/// Skips a value, and checks it as far as its type defines valid values.
///
/// For every type, the number of unread octets limits the work. `local_object` for values that
/// cannot be marshalled. `no_value_factory` for a valuetype of another type than that of the
/// TypeCode, unless it can be truncated; `bad_value` for an indirection to a valuetype outside of
/// the value.
PERIGEE_API void skip_value(Decoder& decoder, const TypeNode& type);
/// The same for a value whose octets will be copied. False if the value contains a valuetype, whose
/// octets may refer to the rest of the message: then the decoder has failed, and the caller starts
/// again with `copy_value`.
[[nodiscard]] PERIGEE_API bool skip_plain_value(Decoder& decoder, const TypeNode& type);
/// The TypeCodes inside a value, in their order. Equivalent TypeCodes may have different octets, so
/// the comparison of values compares them one by one.
struct InnerTypes {
  std::vector<TypeRef> of_anys;  ///< compared by `equivalent`
  std::vector<TypeRef> values;   ///< values of type TypeCode: compared by `equal`
};
/// Like `skip_value`, and writes the value again in the encoder's byte order, alignment and code
/// sets.
PERIGEE_API void copy_value(Decoder& decoder, Encoder& encoder, const TypeNode& type);
/// Copies the valuetypes inside a value. Implemented by the layer `orb`.
class ValueTransfer {
 public:
  /// Reads the header and the state of a valuetype from `decoder`, and writes a valuetype in its
  /// place. `type`: a valuetype or boxed value; null for a value in the place of an abstract
  /// interface. Fails the decoder if this is not possible.
  virtual void transfer(Decoder& decoder, Encoder& encoder, const TypeRef& type) = 0;

 protected:
  ~ValueTransfer() = default;
};
/// The same as `copy_value`, but `values` reads and writes the valuetypes.
PERIGEE_API void copy_value_with(Decoder& decoder, Encoder& encoder, const TypeRef& type,
                                 ValueTransfer& values);
/// Whether a valuetype in the value refers to a valuetype around it, as far as the TypeCode
/// describes the state. Reads nothing: the decoder stays where it is, but its steps are counted.
/// False for an invalid value. The decoder must have a ValueReading.
[[nodiscard]] PERIGEE_API bool has_value_cycle(Decoder& decoder, const TypeNode& type);
/// Writes a value in a form for comparisons: equal values give equal octets and equal
/// `inner_types`. For a TypeCode inside the value, only the kind is written.
PERIGEE_API void write_comparable(Decoder& decoder, Encoder& encoder, const TypeNode& type,
                                  InnerTypes& inner_types);

}  // namespace perigee::cdr
