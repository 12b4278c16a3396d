// DynAnys without components: basic types, texts, references, TypeCodes, anys, enums, fixed.
#include "cdr/typecode_nodes.h"
#include "dynamic/dyn_any_support.h"
#include <perigee/orb/fixed.h>
#include <perigee/orb/map.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>

namespace {

using namespace perigee::test;
namespace nodes = perigee::cdr::test;
using CORBA::TypeCodeConstant;
using DynamicAny::DynAny;
using DynamicAny::DynEnum;
using DynamicAny::DynFixed;

constexpr perigee::cdr::TypeMember nested_members[] = {{"inner", &nodes::point}};
constexpr perigee::cdr::TypeNode nested{
    .kind = nodes::tk_struct, .id = "IDL:Nested:1.0", .name = "Nested", .members = nested_members};

class Thing : public CORBA::LocalObject {};

TypeRef nodes_struct() { return TypeCodeConstant(&nested); }

/// The default value is zero, and an inserted value comes back, also out of the any.
#define CHECK_BASIC(NAME, TYPE_CODE, VALUE)                                            \
  do {                                                                                 \
    const DynRef dyn = made(TYPE_CODE);                                                \
    CHECK(dyn->component_count() == 0);                                                \
    CHECK(dyn->get_##NAME() == decltype(dyn->get_##NAME()){});                         \
    dyn->insert_##NAME(VALUE);                                                         \
    CHECK(dyn->get_##NAME() == (VALUE));                                               \
    CHECK(dyn->to_any().type()->equal(TYPE_CODE));                                     \
    CHECK(made(dyn->to_any())->get_##NAME() == (VALUE));                               \
    CHECK(dyn->copy()->equal(dyn));                                                    \
    CHECK_FALSE(dyn->equal(made(TYPE_CODE)));                                          \
    CHECK_THROWS_AS(made(nodes_struct())->insert_##NAME(VALUE), DynAny::TypeMismatch); \
  } while (false)

}  // namespace

TEST_CASE("basic types have zero as default value and keep what is inserted") {
  CHECK_BASIC(boolean, CORBA::_tc_boolean, true);
  CHECK_BASIC(octet, CORBA::_tc_octet, 200);
  CHECK_BASIC(char, CORBA::_tc_char, 'x');
  CHECK_BASIC(wchar, CORBA::_tc_wchar, L'\u00fc');
  CHECK_BASIC(short, CORBA::_tc_short, -3);
  CHECK_BASIC(ushort, CORBA::_tc_ushort, 65535);
  CHECK_BASIC(long, CORBA::_tc_long, -70000);
  CHECK_BASIC(ulong, CORBA::_tc_ulong, 4000000000u);
  CHECK_BASIC(longlong, CORBA::_tc_longlong, std::int64_t{-1} << 40);
  CHECK_BASIC(ulonglong, CORBA::_tc_ulonglong, ~std::uint64_t{0});
  CHECK_BASIC(float, CORBA::_tc_float, 1.5f);
  CHECK_BASIC(double, CORBA::_tc_double, -2.25);
  CHECK_BASIC(longdouble, CORBA::_tc_longdouble, 1.0L / 3);
  CHECK_BASIC(int8, TypeCodeConstant(&perigee::cdr::basic_node<nodes::tk_int8>), -5);
  CHECK_BASIC(string, CORBA::_tc_string, "text");
  CHECK_BASIC(wstring, CORBA::_tc_wstring, L"\u65e5");
}

TEST_CASE("a DynAny without components has no position") {
  const DynRef dyn = made(CORBA::_tc_long);
  CHECK_FALSE(dyn->seek(0));
  CHECK_FALSE(dyn->next());
  CHECK_THROWS_AS((void)dyn->current_component(), DynAny::TypeMismatch);
  CHECK_THROWS_AS(dyn->insert_double(1), DynAny::TypeMismatch);
  CHECK_THROWS_AS((void)dyn->get_any(), DynAny::TypeMismatch);
}

TEST_CASE("bounded strings refuse longer texts, and all strings refuse a NUL") {
  const DynRef narrow = made(types().create_string_tc(3));
  narrow->insert_string("abc");
  CHECK_THROWS_AS(narrow->insert_string("abcd"), DynAny::InvalidValue);
  CHECK_THROWS_AS(narrow->insert_string(std::string("a\0b", 3)), DynAny::InvalidValue);
  CHECK(narrow->get_string() == "abc");
  const DynRef wide = made(types().create_wstring_tc(2));
  CHECK_THROWS_AS(wide->insert_wstring(L"abc"), DynAny::InvalidValue);
  CHECK_THROWS_AS(wide->insert_string("ab"), DynAny::TypeMismatch);
  CHECK(narrow->to_any().type()->length() == 3);
}

TEST_CASE("references are nil by default and are compared by their objects") {
  const DynRef dyn = made(CORBA::_tc_Object);
  CHECK_FALSE(dyn->get_reference());
  CHECK(dyn->equal(made(CORBA::_tc_Object)));
  const auto thing = CORBA::make_reference<Thing>();
  dyn->insert_reference(thing);
  CHECK(dyn->get_reference() == thing);
  CHECK_FALSE(dyn->equal(made(CORBA::_tc_Object)));
  const DynRef other = made(CORBA::_tc_Object);
  other->insert_reference(thing);
  CHECK(dyn->equal(other));
  CHECK_THROWS_AS(made(CORBA::_tc_long)->insert_reference(thing), DynAny::TypeMismatch);
}

TEST_CASE("a changed struct with a local object cannot become an any") {
  const DynRef dyn = made(struct_of("Holder", {{"object", CORBA::_tc_Object}}));
  dyn->insert_reference(CORBA::make_reference<Thing>());
  CHECK(dyn->get_reference());
  CHECK_THROWS_AS((void)dyn->to_any(), CORBA::MARSHAL);
  dyn->insert_reference(nullptr);
  CHECK_FALSE(made(dyn->to_any())->get_reference());
}

TEST_CASE("TypeCodes are tk_null by default and are compared by equivalence") {
  const DynRef dyn = made(CORBA::_tc_TypeCode);
  CHECK(dyn->get_typecode()->kind() == nodes::tk_null);
  dyn->insert_typecode(TypeCodeConstant(&nodes::point));
  const DynRef other = made(CORBA::_tc_TypeCode);
  other->insert_typecode(TypeCodeConstant(&nodes::alias));
  CHECK(dyn->equal(other));
  CHECK(dyn->get_typecode()->name() == "Point");
  CHECK_THROWS_AS(dyn->insert_typecode(nullptr), DynAny::InvalidValue);
}

TEST_CASE("an any is empty by default, and is inserted and read as any or as DynAny") {
  const DynRef dyn = made(CORBA::_tc_any);
  CHECK_FALSE(dyn->get_any().has_value());
  dyn->insert_any(any_of(std::int32_t{5}));
  CHECK(dyn->get_dyn_any()->get_long() == 5);
  dyn->insert_dyn_any(made(any_of(std::string("inner"))));
  CHECK(dyn->get_any() == any_of(std::string("inner")));
  const DynRef inner = dyn->get_dyn_any();
  inner->insert_string("changed");
  inner->destroy();
  CHECK(dyn->get_dyn_any()->get_string() == "inner");
  CHECK_THROWS_AS(dyn->insert_dyn_any(nullptr), CORBA::BAD_PARAM);
}

TEST_CASE("anys are equal if the TypeCodes inside them are equivalent") {
  const TypeRef holder = struct_of("AnyHolder", {{"any", CORBA::_tc_any}});
  const auto with_type = [&](const TypeRef& type) {
    const DynRef dyn = made(holder);
    dyn->insert_any(any_of(type));
    return dyn;
  };
  CHECK(with_type(TypeCodeConstant(&nodes::point))
            ->equal(with_type(TypeCodeConstant(&nodes::renamed_point))));
  CHECK_FALSE(with_type(TypeCodeConstant(&nodes::point))
                  ->equal(with_type(TypeCodeConstant(&nodes::other_point))));
}

TEST_CASE("an enum begins with its first enumerator, and is set by name or index") {
  for (const auto* node : {&nodes::colour, &nodes::level}) {
    const auto dyn = made_as<DynEnum>(TypeCodeConstant(node));
    CHECK(dyn->get_as_ulong() == 0);
    CHECK(dyn->get_as_string() == node->members[0].name);
    dyn->set_as_ulong(1);
    CHECK(dyn->get_as_string() == node->members[1].name);
    dyn->set_as_string(std::string(node->members[0].name));
    CHECK(dyn->get_as_ulong() == 0);
    dyn->set_as_ulong(1);
    CHECK_THROWS_AS(dyn->set_as_ulong(2), DynAny::InvalidValue);
    CHECK_THROWS_AS(dyn->set_as_string("blue"), DynAny::InvalidValue);
    CHECK_THROWS_AS(dyn->set_as_string(""), DynAny::InvalidValue);
    CHECK_THROWS_AS((void)dyn->current_component(), DynAny::TypeMismatch);
    CHECK_THROWS_AS(dyn->insert_ulong(0), DynAny::TypeMismatch);
    CHECK(as<DynEnum>(made(dyn->to_any()))->get_as_ulong() == 1);
    CHECK(dyn->component_count() == 0);
  }
}

TEST_CASE("a decimal number is read in the form of the IDL") {
  const auto dyn = made_as<DynFixed>(types().create_fixed_tc(5, 2));
  CHECK(dyn->get_value() == "0.00");
  CHECK(dyn->set_value("-12.34"));
  CHECK(dyn->get_value() == "-12.34");
  CHECK(dyn->set_value("  +7d\t"));
  CHECK(dyn->get_value() == "7.00");
  CHECK(dyn->set_value(".5D"));
  CHECK(dyn->get_value() == "0.50");
  CHECK(dyn->set_value("000123.4500"));
  CHECK(dyn->get_value() == "123.45");
  IDL::Fixed<5, 2> value;
  CHECK((dyn->to_any() >>= value));
  CHECK(value.to_string() == "123.45");
}

TEST_CASE("a decimal number loses digits after the point, but not in front of it") {
  const auto dyn = made_as<DynFixed>(types().create_fixed_tc(5, 2));
  CHECK_FALSE(dyn->set_value("1.239"));
  CHECK(dyn->get_value() == "1.23");
  CHECK_THROWS_AS(dyn->set_value("1234"), DynAny::InvalidValue);
  for (const char* text : {"", " ", ".", "-", "d", "1 2", "1.2.3", "0x1", "--1", "1e5", "12a"})
    CHECK_THROWS_AS(dyn->set_value(text), DynAny::TypeMismatch);
  CHECK(dyn->get_value() == "1.23");
}

TEST_CASE("the bits of bitmasks and bitsets are an unsigned number of their width") {
  const DynRef mask = made(TypeCodeConstant(&nodes::bitmask));  // 10 bits
  mask->insert_ushort(0x201);
  CHECK(mask->get_ushort() == 0x201);
  CHECK(made(mask->to_any())->get_ushort() == 0x201);
  CHECK_THROWS_AS(mask->insert_ushort(0x400), DynAny::InvalidValue);
  CHECK_THROWS_AS(mask->insert_ulong(1), DynAny::TypeMismatch);
  CHECK_THROWS_AS(mask->insert_octet(1), DynAny::TypeMismatch);
  const DynRef set = made(TypeCodeConstant(&nodes::bitset));  // 33 bits
  set->insert_ulonglong(std::uint64_t{1} << 32);
  CHECK(set->get_ulonglong() == std::uint64_t{1} << 32);
}

TEST_CASE("a map stays whole: it is copied and compared, but has no components") {
  std::map<std::string, std::int32_t> table{{"one", 1}};
  const DynRef dyn = made(any_of(table));
  CHECK(dyn->component_count() == 0);
  CHECK_THROWS_AS((void)dyn->current_component(), DynAny::TypeMismatch);
  std::map<std::string, std::int32_t> copy;
  CHECK((dyn->copy()->to_any() >>= copy));
  CHECK(copy == table);
  CHECK_FALSE(dyn->equal(made(dyn->type())));
  dyn->assign(made(dyn->type()));
  CHECK((dyn->to_any() >>= copy));
  CHECK(copy.empty());
}

TEST_CASE("null and void have no value") {
  CHECK_FALSE(made(CORBA::_tc_null)->to_any().has_value());
  CHECK(made(CORBA::_tc_void)->to_any().type()->kind() == nodes::tk_void);
  CHECK(made(CORBA::Any())->equal(made(CORBA::_tc_null)));
}
