// Types for tests of TypeCodes and Anys.
#pragma once

#include "support/octets.h"
#include <perigee/cdr/typecode.h>

#include <doctest/doctest.h>

namespace perigee::cdr::test {

using perigee::test::from_hex;
using perigee::test::octets;

template <TypeKind Kind>
inline constexpr const TypeNode& basic = basic_node<Kind>;
using enum TypeKind;

inline constexpr TypeMember point_members[] = {{"x", &basic<tk_double>}, {"y", &basic<tk_double>}};
inline constexpr TypeNode point{
    .kind = tk_struct, .id = "IDL:Point:1.0", .name = "Point", .members = point_members};
inline constexpr TypeNode renamed_point{
    .kind = tk_struct, .id = "IDL:Point:1.0", .name = "Spot", .members = point_members};
inline constexpr TypeNode other_point{
    .kind = tk_struct, .id = "IDL:Other:1.0", .name = "Point", .members = point_members};
inline constexpr TypeNode alias{
    .kind = tk_alias, .id = "IDL:Place:1.0", .name = "Place", .content = &point};

inline constexpr TypeMember colours[] = {{"red"}, {"green"}};
inline constexpr TypeNode colour{
    .kind = tk_enum, .id = "IDL:Colour:1.0", .name = "Colour", .members = colours};

inline constexpr TypeMember flag_members[] = {{"a", &basic<tk_long>, 1}, {"b", &string_node<>}};
inline constexpr TypeNode flag_union{.kind = tk_union,
                                     .default_index = 1,
                                     .id = "IDL:U:1.0",
                                     .name = "U",
                                     .content = &basic<tk_boolean>,
                                     .members = flag_members};

inline constexpr TypeMember levels[] = {{"low", nullptr, -2}, {"high", nullptr, 300}};
inline constexpr TypeNode level{
    .kind = tk_valued_enum, .bound = 16, .id = "IDL:Lev:1.0", .name = "Level", .members = levels};
inline constexpr TypeMember codes[] = {{"none", nullptr, 0}, {"all", nullptr, 255}};
inline constexpr TypeNode code{
    .kind = tk_valued_enum, .bound = 8, .id = "IDL:Code:1.0", .name = "Code", .members = codes};

template <const TypeNode& Discriminator, std::int64_t First, std::int64_t Second>
inline constexpr TypeMember branches[] = {{"a", &basic<tk_long>, First}, {"b", &point, Second}};
template <const TypeNode& Discriminator, std::int64_t First, std::int64_t Second>
inline constexpr TypeNode union_over{.kind = tk_union,
                                     .id = "IDL:V:1.0",
                                     .name = "V",
                                     .content = &Discriminator,
                                     .members = branches<Discriminator, First, Second>};

extern const TypeNode recursive;
inline constexpr TypeNode recursive_list{.kind = tk_sequence, .content = &recursive};
inline constexpr TypeMember recursive_members[] = {{"c", &recursive_list}};
inline constexpr TypeNode recursive{
    .kind = tk_struct, .id = "IDL:N:1.0", .name = "N", .members = recursive_members};

// Equivalent recursive types: a ring of a struct and a sequence, and the same ring unrolled once.
extern const TypeNode anonymous_ring;
inline constexpr TypeNode ring_list{.kind = tk_sequence, .content = &anonymous_ring};
inline constexpr TypeMember ring_members[] = {{"c", &ring_list}};
inline constexpr TypeNode anonymous_ring{.kind = tk_struct, .members = ring_members};
extern const TypeNode anonymous_ring_of_two;
inline constexpr TypeNode second_list{.kind = tk_sequence, .content = &anonymous_ring_of_two};
inline constexpr TypeMember second_members[] = {{"c", &second_list}};
inline constexpr TypeNode second_ring{.kind = tk_struct, .members = second_members};
inline constexpr TypeNode first_list{.kind = tk_sequence, .content = &second_ring};
inline constexpr TypeMember first_members[] = {{"c", &first_list}};
inline constexpr TypeNode anonymous_ring_of_two{.kind = tk_struct, .members = first_members};

inline constexpr TypeMember failure_members[] = {{"why", &string_node<>}};
inline constexpr TypeNode failure{
    .kind = tk_except, .id = "IDL:Failure:1.0", .name = "Failure", .members = failure_members};
inline constexpr TypeNode interface{.kind = tk_objref, .id = "IDL:I:1.0", .name = "I"};
inline constexpr TypeNode local{.kind = tk_local_interface, .id = "IDL:L:1.0", .name = "L"};
inline constexpr TypeNode abstract{.kind = tk_abstract_interface, .id = "IDL:B:1.0", .name = "B"};
inline constexpr TypeNode native{.kind = tk_native, .id = "IDL:X:1.0", .name = "X"};
extern const TypeNode value;
inline constexpr TypeMember value_members[] = {{"next", &value, 0}, {"open", &point, 1}};
inline constexpr TypeNode value_base{.kind = tk_value, .id = "IDL:VB:1.0", .name = "VB"};
inline constexpr TypeNode value{.kind = tk_value,
                                .scale = 3,
                                .id = "IDL:VT:1.0",
                                .name = "VT",
                                .content = &value_base,
                                .members = value_members};
inline constexpr TypeNode box{
    .kind = tk_value_box, .id = "IDL:Box:1.0", .name = "Box", .content = &string_node<>};
inline constexpr TypeMember flags[] = {{"f", nullptr, 0}, {"g", nullptr, 9}};
inline constexpr TypeNode bitmask{
    .kind = tk_bitmask, .bound = 10, .id = "IDL:Mask:1.0", .name = "Mask", .members = flags};
inline constexpr TypeMember fields[] = {{"low", nullptr, 3}, {"", nullptr, 30}};
inline constexpr TypeNode bitset{
    .kind = tk_bitset, .bound = 33, .id = "IDL:Set:1.0", .name = "Set", .members = fields};

inline constexpr TypeMember everything_members[] = {
    {"flag", &basic<tk_boolean>},
    {"letter", &basic<tk_char>},
    {"wide", &basic<tk_wchar>},
    {"small", &basic<tk_octet>},
    {"number", &basic<tk_short>},
    {"large", &basic<tk_ulonglong>},
    {"ratio", &basic<tk_float>},
    {"precise", &basic<tk_longdouble>},
    {"text", &string_node<>},
    {"wide_text", &wstring_node<>},
    {"place", &alias},
    {"tint", &colour},
    {"either", &flag_union},
    {"tree", &recursive},
    {"price", &fixed_node<5, 2>},
    {"rows", &array_node<sequence_node<basic<tk_short>>, 2>},
    {"table", &map_node<string_node<>, basic<tk_double>>},
    {"object", &interface},
    {"type", &basic<tk_TypeCode>},
    {"inner", &basic<tk_any>},
    {"mask", &bitmask}};
inline constexpr TypeNode everything{
    .kind = tk_struct, .id = "IDL:All:1.0", .name = "All", .members = everything_members};

inline constexpr const TypeNode* all_nodes[] = {
    &basic<tk_null>,
    &basic<tk_void>,
    &basic<tk_Principal>,
    &basic<tk_wchar>,
    &basic<tk_int8>,
    &string_node<>,
    &string_node<7>,
    &wstring_node<7>,
    &fixed_node<31, 31>,
    &sequence_node<basic<tk_octet>>,
    &sequence_node<array_node<array_node<string_node<>, 2>, 3>, 4>,
    &map_node<string_node<>, point, 5>,
    &point,
    &alias,
    &colour,
    &flag_union,
    &union_over<basic<tk_short>, -1, 7>,
    &union_over<basic<tk_ulong>, 0xffffffff, 7>,
    &union_over<basic<tk_longlong>, INT64_MIN, 7>,
    &union_over<basic<tk_char>, 'a', 255>,
    &union_over<basic<tk_wchar>, 0x41, 0x1f600>,
    &union_over<basic<tk_octet>, 0, 1>,
    &union_over<colour, 0, 1>,
    &level,
    &code,
    &union_over<level, -2, 300>,
    &union_over<code, 0, 255>,
    &recursive,
    &recursive_list,
    &failure,
    &interface,
    &local,
    &abstract,
    &native,
    &value,
    &box,
    &bitmask,
    &bitset,
    &everything};

inline Octets encode_node(const TypeNode& node, std::endian order) {
  Buffer buffer;
  Encoder encoder(buffer, order);
  encode_type(encoder, node);
  REQUIRE(encoder.ok());
  return buffer.flatten();
}

inline TypeRef decode_node(const Octets& wire, std::endian order) {
  Decoder decoder(wire, order);
  TypeRef type = decode_type(decoder);
  REQUIRE(decoder.ok());
  CHECK(decoder.remaining() == 0);
  return type;
}

}  // namespace perigee::cdr::test
