// TypeCodes made at run time.
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/typecode_factory.h>

#include <doctest/doctest.h>

namespace {

using namespace CORBA;
using TypeCodeRef = object_reference<TypeCode>;
const TypeCodeFactory factory;

template <typename T>
Any any_of(T value) {
  Any any;
  any <<= value;
  return any;
}

/// The OMG minor code of the exception that `act` raises.
template <typename Exception, typename Act>
std::uint32_t minor_of(Act act) {
  try {
    act();
  } catch (const Exception& exception) {
    return exception.minor() & ~OMGVMCID;
  }
  return 0;
}

}  // namespace

TEST_CASE("a struct's TypeCode is made from its members") {
  const TypeCodeRef type =
      factory.create_struct_tc("IDL:P:1.0", "P",
                               {StructMember("x", _tc_double),
                                StructMember("names", factory.create_sequence_tc(3, _tc_string))});
  CHECK(type->_text() == "struct P { double x; sequence<string, 3> names; }");
  CHECK(type->member_type(1)->length() == 3);
}

TEST_CASE("recursive types are made with a place holder") {
  const TypeCodeRef place = factory.create_recursive_tc("IDL:N:1.0");
  const TypeCodeRef list = factory.create_sequence_tc(0, place);
  const TypeCodeRef type =
      factory.create_struct_tc("IDL:N:1.0", "N", {StructMember("children", list)});
  CHECK(type->member_type(0)->content_type()->kind() == TCKind::tk_struct);
  CHECK(type->member_type(0)->content_type()->equal(type));
}

TEST_CASE("a union's labels are values of the discriminator") {
  const TypeCodeRef type =
      factory.create_union_tc("IDL:U:1.0", "U", _tc_long,
                              {UnionMember("a", any_of(std::int32_t{-1}), _tc_short),
                               UnionMember("b", any_of(std::uint8_t{0}), _tc_string)});
  CHECK(type->_text() == "union U switch (long) { case -1: short a; default: string b; }");
  std::int32_t label = 0;
  CHECK((type->member_label(0) >>= label));
  CHECK(label == -1);
  std::uint8_t octet = 1;
  CHECK((type->member_label(1) >>= octet));
  CHECK(octet == 0);
  CHECK(type->default_index() == 1);
}

TEST_CASE("enumerators can be labels") {
  const TypeCodeRef colour = factory.create_enum_tc("IDL:C:1.0", "C", {"red", "green"});
  const TypeCodeRef first = factory.create_union_tc("IDL:U:1.0", "U", _tc_boolean,
                                                    {UnionMember("a", any_of(true), colour)});
  const Any green = perigee::any::make_enumerator(*colour->_node(), colour->_owner(), 1);
  const TypeCodeRef type =
      factory.create_union_tc("IDL:V:1.0", "V", colour, {UnionMember("a", green, first)});
  CHECK(type->_text() == "union V switch (C) { case green: U a; }");
  CHECK((type->member_label(0) == green));
}

TEST_CASE("invalid types are refused") {
  const auto member = [](const char* name, const TypeCodeRef& type) {
    return StructMember(name, type);
  };
  CHECK(minor_of<BAD_TYPECODE>(
            [&] { (void)factory.create_struct_tc("", "", {member("a", nullptr)}); }) == 2);
  CHECK(minor_of<BAD_TYPECODE>([&] { (void)factory.create_sequence_tc(0, _tc_void); }) == 2);
  CHECK(minor_of<BAD_PARAM>([&] {
          (void)factory.create_struct_tc("", "", {member("a", _tc_long), member("a", _tc_long)});
        }) == 17);
  const UnionMember one("a", any_of(std::int32_t{1}), _tc_long);
  CHECK(minor_of<BAD_PARAM>([&] { (void)factory.create_union_tc("", "", _tc_long, {one, one}); }) ==
        18);
  CHECK(minor_of<BAD_PARAM>([&] { (void)factory.create_union_tc("", "", _tc_short, {one}); }) ==
        19);
  CHECK(minor_of<BAD_PARAM>([&] { (void)factory.create_union_tc("", "", _tc_float, {one}); }) ==
        20);
  CHECK_THROWS_AS((void)factory.create_fixed_tc(32, 0), BAD_PARAM);
  CHECK(minor_of<BAD_TYPECODE>(
            [&] { (void)factory.create_value_tc("", "", CORBA::VM_NONE, _tc_long, {}); }) == 2);
}

TEST_CASE("a valuetype has a modifier, a base, and state that is public or private") {
  const TypeCodeRef base = factory.create_value_tc("IDL:B:1.0", "B", CORBA::VM_NONE, nullptr, {});
  const TypeCodeRef place = factory.create_recursive_tc("IDL:V:1.0");
  const auto member = [](const char* name, TypeCodeRef type, CORBA::Visibility access) {
    return CORBA::ValueMember(name, "", "", "1.0", std::move(type), nullptr, access);
  };
  const TypeCodeRef value =
      factory.create_value_tc("IDL:V:1.0", "V", CORBA::VM_TRUNCATABLE, base,
                              {member("next", place, CORBA::PRIVATE_MEMBER),
                               member("name", _tc_string, CORBA::PUBLIC_MEMBER)});
  CHECK(value->type_modifier() == CORBA::VM_TRUNCATABLE);
  CHECK(value->concrete_base_type()->equal(base));
  CHECK(base->concrete_base_type() == nullptr);
  CHECK(value->member_type(0)->equal(value));
  CHECK(value->member_visibility(0) == CORBA::PRIVATE_MEMBER);
  CHECK(value->member_visibility(1) == CORBA::PUBLIC_MEMBER);
}

TEST_CASE("simple TypeCodes are made with their parameters") {
  CHECK(factory.create_string_tc(5)->length() == 5);
  CHECK(factory.create_wstring_tc(0)->equal(_tc_wstring));
  CHECK(factory.create_fixed_tc(5, 2)->fixed_scale() == 2);
  CHECK(factory.create_array_tc(4, _tc_octet)->_text() == "octet[4]");
  CHECK(factory.create_alias_tc("IDL:A:1.0", "A", _tc_long)->equivalent(_tc_long));
  CHECK(factory.create_interface_tc("IDL:I:1.0", "I")->kind() == TCKind::tk_objref);
  CHECK(factory.create_exception_tc("IDL:E:1.0", "E", {})->member_count() == 0);
}
