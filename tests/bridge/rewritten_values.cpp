// The sample values of each type.
#include "bridge/rewritten_values.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace perigee::test {

namespace {

using cdr::Encoder;
using iop::Ior;

/// struct Tree { Object here; sequence<Tree> below; }; as a TypeCode that leads back to itself.
struct TreeType {
  TypeNode below{.kind = TypeKind::tk_sequence};
  TypeMember members[2]{{.name = "here", .type = &cdr::object_node},
                        {.name = "below", .type = &below}};
  TypeNode node{.kind = TypeKind::tk_struct, .id = "IDL:Tree:1.0", .name = "Tree"};

  TreeType() {
    below.content = &node;
    node.members = members;
  }
  TreeType(const TreeType&) = delete;
  TreeType& operator=(const TreeType&) = delete;
};

const TypeNode& tree_type() {
  static const TreeType type;
  return type.node;
}

// struct Entry { Object holder; double price; octet kind; };
constexpr TypeMember entry_members[] = {{.name = "holder", .type = &cdr::object_node},
                                        {.name = "price", .type = &basic_node<TypeKind::tk_double>},
                                        {.name = "kind", .type = &basic_node<TypeKind::tk_octet>}};
constexpr TypeNode entry_type{
    .kind = TypeKind::tk_struct, .id = "IDL:Entry:1.0", .name = "Entry", .members = entry_members};

void write_entry(Encoder& encoder, const Ior& ior) {
  iop::encode(encoder, ior);
  encoder.write(2.5);
  encoder.write(std::uint8_t{3});
}

// union Choice switch (long) { case -1: case 7: Object target; case 2: double price;
//                              default: string text; };
// In a plan, members are in the order of their labels.
constexpr TypeMember choice_members[] = {
    {.name = "target", .type = &cdr::object_node, .label = -1},
    {.name = "price", .type = &basic_node<TypeKind::tk_double>, .label = 2},
    {.name = "target", .type = &cdr::object_node, .label = 7},
    {.name = "text", .type = &cdr::string_node<>}};
constexpr TypeNode choice_type{.kind = TypeKind::tk_union,
                               .default_index = 3,
                               .id = "IDL:Choice:1.0",
                               .name = "Choice",
                               .content = &basic_node<TypeKind::tk_long>,
                               .members = choice_members};

// union Maybe switch (boolean) { case TRUE: Object target; };
constexpr TypeMember maybe_members[] = {{.name = "target", .type = &cdr::object_node, .label = 1}};
constexpr TypeNode maybe_type{.kind = TypeKind::tk_union,
                              .id = "IDL:Maybe:1.0",
                              .name = "Maybe",
                              .content = &basic_node<TypeKind::tk_boolean>,
                              .members = maybe_members};

// union ByChar switch (wchar) { case L'x': Object target; default: octet other; };
constexpr TypeMember by_char_members[] = {
    {.name = "target", .type = &cdr::object_node, .label = 'x'},
    {.name = "other", .type = &basic_node<TypeKind::tk_octet>}};
constexpr TypeNode by_char_type{.kind = TypeKind::tk_union,
                                .default_index = 1,
                                .content = &basic_node<TypeKind::tk_wchar>,
                                .members = by_char_members};

// @bit_bound(8) enum Grade { @value(-2) low, ... }; union ByGrade switch (Grade) { ... };
constexpr TypeNode grade_type{.kind = TypeKind::tk_valued_enum, .bound = 8};
constexpr TypeMember by_grade_members[] = {
    {.name = "target", .type = &cdr::object_node, .label = -2},
    {.name = "other", .type = &basic_node<TypeKind::tk_octet>, .label = 3}};
constexpr TypeNode by_grade_type{
    .kind = TypeKind::tk_union, .content = &grade_type, .members = by_grade_members};

constexpr TypeMember refused_members[] = {{.name = "by", .type = &cdr::object_node}};
constexpr TypeNode refused_type{.kind = TypeKind::tk_except,
                                .id = "IDL:Refused:1.0",
                                .name = "Refused",
                                .members = refused_members};

constexpr TypeNode enum_type{.kind = TypeKind::tk_enum};
constexpr TypeNode mask_type{.kind = TypeKind::tk_bitmask, .bound = 12};
constexpr TypeNode abstract_type{.kind = TypeKind::tk_abstract_interface};
constexpr TypeNode value_type{.kind = TypeKind::tk_value, .id = "IDL:V:1.0", .name = "V"};
constexpr TypeNode alias_type{.kind = TypeKind::tk_alias,
                              .id = "IDL:Alias:1.0",
                              .name = "Alias",
                              .content = &cdr::object_node};

template <typename Value>
Write writes(Value value) {
  return [value](Encoder& encoder, const Ior&) { encoder.write(value); };
}

Write writes_any(const TypeNode& type, Write value) {
  return [&type, value = std::move(value)](Encoder& encoder, const Ior& ior) {
    cdr::encode_type(encoder, type);
    value(encoder, ior);
  };
}

void write_tree(Encoder& encoder, const Ior& ior) {
  iop::encode(encoder, ior);
  encoder.write(std::uint32_t{2});
  for (int child = 0; child < 2; ++child) {
    iop::encode(encoder, ior);
    encoder.write(std::uint32_t{0});
  }
}

void write_choice(Encoder& encoder, const Ior& ior) {
  encoder.write(std::int32_t{-1});
  iop::encode(encoder, ior);
}

void add_numbers(std::vector<Sample>& all) {
  all.push_back({"boolean", &basic_node<TypeKind::tk_boolean>, writes(std::uint8_t{1})});
  all.push_back({"char", &basic_node<TypeKind::tk_char>, writes(std::uint8_t{0xe4})});
  all.push_back({"octet", &basic_node<TypeKind::tk_octet>, writes(std::uint8_t{200})});
  all.push_back({"int8", &basic_node<TypeKind::tk_int8>, writes(std::uint8_t{200})});
  all.push_back({"short", &basic_node<TypeKind::tk_short>, writes(std::int16_t{-2})});
  all.push_back({"ushort", &basic_node<TypeKind::tk_ushort>, writes(std::uint16_t{2})});
  all.push_back({"long", &basic_node<TypeKind::tk_long>, writes(std::int32_t{-3})});
  all.push_back({"ulong", &basic_node<TypeKind::tk_ulong>, writes(std::uint32_t{3})});
  all.push_back({"longlong", &basic_node<TypeKind::tk_longlong>, writes(std::int64_t{-4})});
  all.push_back({"ulonglong", &basic_node<TypeKind::tk_ulonglong>, writes(std::uint64_t{4})});
  all.push_back({"float", &basic_node<TypeKind::tk_float>, writes(1.5f)});
  all.push_back({"double", &basic_node<TypeKind::tk_double>, writes(2.5)});
  all.push_back({"long double", &basic_node<TypeKind::tk_longdouble>, writes(3.5l)});
  all.push_back({"enum", &enum_type, writes(std::uint32_t{1})});
  all.push_back({"enum with values", &grade_type, writes(std::int8_t{-2})});
  all.push_back({"bitmask", &mask_type, writes(std::uint16_t{0x801})});
  all.push_back({"fixed", &cdr::fixed_node<5, 2>, [](Encoder& encoder, const Ior&) {
                   encoder.write_octets(octets(0x12, 0x34, 0x5c));
                 }});
}

void add_texts(std::vector<Sample>& all) {
  all.push_back({"string", &cdr::string_node<>, [](Encoder& encoder, const Ior&) {
                   encoder.write_string("text beyond ASCII: \xc3\xa4");
                 }});
  all.push_back({"wchar", &basic_node<TypeKind::tk_wchar>,
                 [](Encoder& encoder, const Ior&) { encoder.write_wide_character(L'\u20ac'); }, 1});
  all.push_back({"wstring", &cdr::wstring_node<>,
                 [](Encoder& encoder, const Ior&) { encoder.write_wide_string(L"a\u20ac"); }, 1});
  all.push_back({"empty wstring", &cdr::wstring_node<>,
                 [](Encoder& encoder, const Ior&) { encoder.write_wide_string(L""); }, 1});
  all.push_back({"sequence of wchar", &cdr::sequence_node<basic_node<TypeKind::tk_wchar>>,
                 [](Encoder& encoder, const Ior&) {
                   encoder.write(std::uint32_t{2});
                   encoder.write_wide_character(L'a');
                   encoder.write_wide_character(L'b');
                 },
                 1});
}

void add_collections(std::vector<Sample>& all) {
  all.push_back({"sequence of octets", &cdr::sequence_node<basic_node<TypeKind::tk_octet>>,
                 [](Encoder& encoder, const Ior&) {
                   encoder.write(std::uint32_t{3});
                   encoder.write_octets(octets(1, 2, 3));
                 }});
  all.push_back({"sequence of doubles", &cdr::sequence_node<basic_node<TypeKind::tk_double>>,
                 [](Encoder& encoder, const Ior&) {
                   encoder.write(std::uint32_t{2});
                   encoder.write(1.0);
                   encoder.write(2.0);
                 }});
  all.push_back({"empty sequence of doubles", &cdr::sequence_node<basic_node<TypeKind::tk_double>>,
                 writes(std::uint32_t{0})});
  all.push_back({"array of shorts", &cdr::array_node<basic_node<TypeKind::tk_short>, 3>,
                 [](Encoder& encoder, const Ior&) {
                   for (std::int16_t each = 0; each < 3; ++each) encoder.write(each);
                 }});
  all.push_back({"sequence of structs", &cdr::sequence_node<entry_type>,
                 [](Encoder& encoder, const Ior& ior) {
                   encoder.write(std::uint32_t{3});
                   write_entry(encoder, ior);
                   write_entry(encoder, reference_c);
                   write_entry(encoder, ior);
                 }});
  all.push_back(
      {"array of structs", &cdr::array_node<entry_type, 2>, [](Encoder& encoder, const Ior& ior) {
         write_entry(encoder, ior);
         write_entry(encoder, ior);
       }});
  all.push_back({"map", &cdr::map_node<cdr::string_node<>, cdr::object_node>,
                 [](Encoder& encoder, const Ior& ior) {
                   encoder.write(std::uint32_t{1});
                   encoder.write_string("key");
                   iop::encode(encoder, ior);
                 }});
  all.push_back({"recursive struct", &tree_type(), write_tree});
}

void add_unions(std::vector<Sample>& all) {
  all.push_back({"union, first label", &choice_type, write_choice});
  all.push_back({"union, second label", &choice_type, [](Encoder& encoder, const Ior& ior) {
                   encoder.write(std::int32_t{7});
                   iop::encode(encoder, ior);
                 }});
  all.push_back({"union, other branch", &choice_type, [](Encoder& encoder, const Ior&) {
                   encoder.write(std::int32_t{2});
                   encoder.write(2.5);
                 }});
  all.push_back({"union, default", &choice_type, [](Encoder& encoder, const Ior&) {
                   encoder.write(std::int32_t{0});
                   encoder.write_string("default");
                 }});
  all.push_back({"union without a branch", &maybe_type, writes(std::uint8_t{0})});
  all.push_back({"union over wchar", &by_char_type,
                 [](Encoder& encoder, const Ior& ior) {
                   encoder.write_wide_character(L'x');
                   iop::encode(encoder, ior);
                 },
                 1});
  all.push_back({"union over a signed enum", &by_grade_type, [](Encoder& encoder, const Ior& ior) {
                   encoder.write(std::int8_t{-2});
                   iop::encode(encoder, ior);
                 }});
}

void add_references(std::vector<Sample>& all) {
  const Write nil = [](Encoder& encoder, const Ior&) { iop::encode(encoder, Ior{}); };
  const Write object = [](Encoder& encoder, const Ior& ior) { iop::encode(encoder, ior); };
  all.push_back({"nil reference", &cdr::object_node, nil});
  all.push_back({"reference", &cdr::object_node, object});
  all.push_back({"alias", &alias_type, object});
  all.push_back({"abstract interface", &abstract_type, [](Encoder& encoder, const Ior& ior) {
                   encoder.write_boolean(true);
                   iop::encode(encoder, ior);
                 }});
  all.push_back({"null of an abstract interface", &abstract_type, [](Encoder& encoder, const Ior&) {
                   encoder.write_boolean(false);
                   encoder.write(std::uint32_t{0});
                 }});
  all.push_back({"null valuetype", &value_type, writes(std::uint32_t{0})});
}

void add_anys(std::vector<Sample>& all) {
  static constexpr const TypeNode& any = basic_node<TypeKind::tk_any>;
  const Write object = [](Encoder& encoder, const Ior& ior) { iop::encode(encoder, ior); };
  const auto add = [&all](const char* name, Write write, std::uint8_t minor_min = 0) {
    all.push_back({name, &any, std::move(write), minor_min});
  };
  add("empty any", writes(std::uint32_t{0}));
  add("any of double", writes_any(basic_node<TypeKind::tk_double>, writes(2.5)));
  add("any of bounded string", writes_any(cdr::string_node<9>, [](Encoder& encoder, const Ior&) {
        encoder.write_string("text");
      }));
  add("any of fixed", writes_any(cdr::fixed_node<3, 1>, [](Encoder& encoder, const Ior&) {
        encoder.write_octets(octets(0x12, 0x3d));
      }));
  add("any of reference", writes_any(cdr::object_node, object));
  add("any of alias", writes_any(alias_type, object));
  add("any of struct", writes_any(entry_type, write_entry));
  add("any of union", writes_any(choice_type, write_choice));
  add("any of a recursive struct", writes_any(tree_type(), write_tree));
  add("any of an exception", writes_any(refused_type, [](Encoder& encoder, const Ior& ior) {
        encoder.write_string("IDL:Refused:1.0");
        iop::encode(encoder, ior);
      }));
  add("any of an exception, as omniORB writes it", writes_any(refused_type, object));
  add("any of any of reference", writes_any(any, writes_any(cdr::object_node, object)));
  add("any of TypeCode",
      writes_any(basic_node<TypeKind::tk_TypeCode>,
                 [](Encoder& encoder, const Ior&) { cdr::encode_type(encoder, tree_type()); }));
  add("any of wstring",
      writes_any(cdr::wstring_node<>,
                 [](Encoder& encoder, const Ior&) { encoder.write_wide_string(L"wide"); }),
      1);
  all.push_back({"TypeCode", &basic_node<TypeKind::tk_TypeCode>,
                 [](Encoder& encoder, const Ior&) { cdr::encode_type(encoder, entry_type); }});
}

}  // namespace

std::vector<Sample> all_samples() {
  std::vector<Sample> all;
  add_numbers(all);
  add_texts(all);
  add_collections(all);
  add_unions(all);
  add_references(all);
  add_anys(all);
  std::ranges::move(valuetype_samples(), std::back_inserter(all));
  return all;
}

}  // namespace perigee::test
