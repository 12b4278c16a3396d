// DynStruct, and what all DynAnys with components have in common: positions, lifetime, copies.
#include "dynamic/dyn_any_support.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace perigee::test;
using DynamicAny::DynAny;
using DynamicAny::DynStruct;
using DynamicAny::NameValuePairSeq;

TypeRef point() { return struct_of("Point", {{"x", CORBA::_tc_long}, {"y", CORBA::_tc_long}}); }
TypeRef line() { return struct_of("Line", {{"from", point()}, {"to", point()}}); }

DynStruct::_ref_type made_point(std::int32_t x, std::int32_t y) {
  const auto dyn = made_as<DynStruct>(point());
  dyn->set_members({{"x", any_of(x)}, {"y", any_of(y)}});
  return dyn;
}

std::int32_t member(const DynRef& dyn, std::int32_t index) {
  REQUIRE(dyn->seek(index));
  return dyn->get_long();
}

}  // namespace

TEST_CASE("a struct is composed member by member") {
  const DynRef dyn = made(point());
  dyn->insert_long(3);
  CHECK(dyn->next());
  dyn->insert_long(4);
  CHECK_FALSE(dyn->next());
  const DynRef again = made(dyn->to_any());
  CHECK(member(again, 0) == 3);
  CHECK(member(again, 1) == 4);
  CHECK(dyn->equal(again));
}

TEST_CASE("an insertion does not move the current position") {
  const DynRef dyn = made(point());
  dyn->insert_long(1);
  dyn->insert_long(2);
  CHECK(member(dyn, 0) == 2);
}

TEST_CASE("seek, rewind and next move the current position within the components") {
  const DynRef dyn = made(point());
  CHECK(dyn->component_count() == 2);
  CHECK(dyn->current_component());
  CHECK_FALSE(dyn->seek(2));
  CHECK_FALSE(dyn->current_component());
  CHECK(dyn->next());  // from -1 to 0
  CHECK(dyn->next());
  CHECK_FALSE(dyn->next());
  CHECK_FALSE(dyn->seek(-1));
  CHECK_FALSE(dyn->current_component());
  dyn->rewind();
  CHECK(dyn->current_component());
}

TEST_CASE("an operation at position -1 raises InvalidValue") {
  const DynRef dyn = made(point());
  dyn->seek(-1);
  CHECK_THROWS_AS(dyn->insert_long(1), DynAny::InvalidValue);
  CHECK_THROWS_AS((void)dyn->get_long(), DynAny::InvalidValue);
}

TEST_CASE("a value of another type raises TypeMismatch, also one level deeper") {
  const DynRef dyn = made(point());
  CHECK_THROWS_AS(dyn->insert_short(1), DynAny::TypeMismatch);
  CHECK_THROWS_AS((void)dyn->get_string(), DynAny::TypeMismatch);
  const DynRef nested = made(line());
  CHECK_THROWS_AS(nested->insert_long(1), DynAny::TypeMismatch);
}

TEST_CASE("a component shares its value with the struct") {
  const DynRef dyn = made(line());
  const DynRef to = [&] {
    dyn->seek(1);
    return dyn->current_component();
  }();
  CHECK(to == dyn->current_component());
  to->seek(1);
  to->insert_long(7);
  const DynRef again = made(dyn->to_any());
  again->seek(1);
  CHECK(member(again->current_component(), 1) == 7);
  dyn->assign(made(line()));
  CHECK(member(to, 1) == 0);
}

TEST_CASE("a change after to_any is seen by the next to_any, and not by the former any") {
  const DynRef dyn = made(line());
  const DynRef from = dyn->current_component();
  from->insert_long(1);
  const CORBA::Any first = dyn->to_any();
  from->insert_long(2);
  const CORBA::Any second = dyn->to_any();
  CHECK(member(made(first)->current_component(), 0) == 1);
  CHECK(member(made(second)->current_component(), 0) == 2);
}

TEST_CASE("destroy ends a DynAny and its components, but components do not end by it") {
  const DynRef dyn = made(line());
  const DynRef from = dyn->current_component();
  const DynRef x = from->current_component();
  const DynRef copy = from->copy();
  from->destroy();
  CHECK(from->component_count() == 2);
  dyn->destroy();
  CHECK_THROWS_AS((void)dyn->to_any(), CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS((void)dyn->type(), CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS(dyn->destroy(), CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS((void)from->next(), CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS((void)x->get_long(), CORBA::OBJECT_NOT_EXIST);
  CHECK(copy->get_long() == 0);
  copy->destroy();
  CHECK_THROWS_AS((void)copy->get_long(), CORBA::OBJECT_NOT_EXIST);
}

TEST_CASE("a component outlives the last reference to its parent") {
  const DynRef x = made(line())->current_component()->current_component();
  x->insert_long(5);
  CHECK(x->get_long() == 5);
}

TEST_CASE("a copy is independent, has the interface of its kind, and begins at position 0") {
  const auto dyn = made_point(1, 2);
  dyn->seek(1);
  const DynRef copy = dyn->copy();
  REQUIRE(as<DynStruct>(copy));
  CHECK(as<DynStruct>(copy)->current_member_name() == "x");
  copy->insert_long(9);
  CHECK(member(dyn, 0) == 1);
  CHECK_FALSE(copy->equal(dyn));
}

TEST_CASE("assign and from_any set the position to 0, and refuse other types") {
  const auto dyn = made_point(1, 2);
  dyn->seek(1);
  dyn->assign(made_point(3, 4));
  CHECK(dyn->get_long() == 3);
  dyn->seek(-1);
  dyn->from_any(made_point(5, 6)->to_any());
  CHECK(dyn->get_long() == 5);
  CHECK_THROWS_AS(dyn->assign(made(line())), DynAny::TypeMismatch);
  CHECK_THROWS_AS(dyn->from_any(any_of(std::int32_t{1})), DynAny::TypeMismatch);
  CHECK_THROWS_AS(dyn->assign(nullptr), CORBA::BAD_PARAM);
  CHECK(member(dyn, 1) == 6);
}

TEST_CASE("a DynAny keeps its type when it gets a value of an equivalent type") {
  const TypeRef place = types().create_alias_tc("IDL:test/Place:1.0", "Place", point());
  const DynRef dyn = made(place);
  CHECK(dyn->type()->equal(place));
  dyn->assign(made_point(1, 2));
  CHECK(dyn->type()->equal(place));
  CHECK(dyn->to_any().type()->equal(place));
  CHECK(dyn->equal(made_point(1, 2)));
  CHECK(as<DynStruct>(dyn));
}

TEST_CASE("a value of a foreign type with the same id and other members is not valid") {
  const TypeRef foreign = struct_of("Point", {{"text", CORBA::_tc_string}});
  const DynRef dyn = made(point());
  CHECK_THROWS_AS(dyn->from_any(made(foreign)->to_any()), DynAny::TypeMismatch);
  CHECK(member(dyn, 0) == 0);
}

TEST_CASE("the current member has a name and a kind") {
  const auto dyn = made_as<DynStruct>(line());
  dyn->seek(1);
  CHECK(dyn->current_member_name() == "to");
  CHECK(dyn->current_member_kind() == CORBA::TCKind::tk_struct);
  dyn->seek(-1);
  CHECK_THROWS_AS((void)dyn->current_member_name(), DynAny::InvalidValue);
  CHECK_THROWS_AS((void)dyn->current_member_kind(), DynAny::InvalidValue);
}

TEST_CASE("a TypeCode without names gives members without names") {
  const auto dyn = made_as<DynStruct>(point()->get_compact_typecode());
  CHECK(dyn->current_member_name().empty());
}

TEST_CASE("get_members gives names and values in the order of the IDL") {
  const auto members = made_point(1, 2)->get_members();
  REQUIRE(members.size() == 2);
  CHECK(members[1].id() == "y");
  CHECK(members[1].value() == any_of(std::int32_t{2}));
  const auto dyn = made_point(3, 4);
  const auto components = dyn->get_members_as_dyn_any();
  REQUIRE(components.size() == 2);
  components[0].value()->insert_long(8);
  CHECK(member(dyn, 0) == 8);
}

TEST_CASE("set_members takes names that are right or empty") {
  const auto dyn = made_point(1, 2);
  dyn->seek(1);
  dyn->set_members({{"", any_of(std::int32_t{3})}, {"y", any_of(std::int32_t{4})}});
  CHECK(dyn->get_long() == 3);
  dyn->set_members_as_dyn_any(
      {{"x", made(any_of(std::int32_t{5}))}, {"y", made(any_of(std::int32_t{6}))}});
  CHECK(member(dyn, 1) == 6);
}

TEST_CASE("set_members refuses wrong names, types and numbers, and changes nothing") {
  const auto dyn = made_point(1, 2);
  const CORBA::Any one = any_of(std::int32_t{1});
  CHECK_THROWS_AS(dyn->set_members({{"y", one}, {"x", one}}), DynAny::TypeMismatch);
  CHECK_THROWS_AS(dyn->set_members({{"x", one}, {"y", any_of(1.5)}}), DynAny::TypeMismatch);
  CHECK_THROWS_AS(dyn->set_members({{"x", one}}), DynAny::InvalidValue);
  CHECK_THROWS_AS(dyn->set_members_as_dyn_any({{"x", nullptr}, {"y", nullptr}}), CORBA::BAD_PARAM);
  CHECK(dyn->equal(made_point(1, 2)));
}

TEST_CASE("an exception is a struct, and an empty exception has no components") {
  const TypeRef full = types().create_exception_tc(
      "IDL:test/Failure:1.0", "Failure", {CORBA::StructMember("why", CORBA::_tc_string, nullptr)});
  const auto dyn = made_as<DynStruct>(full);
  dyn->insert_string("full");
  CHECK(made(dyn->to_any())->get_string() == "full");
  const auto empty =
      made_as<DynStruct>(types().create_exception_tc("IDL:test/Empty:1.0", "Empty", {}));
  CHECK(empty->component_count() == 0);
  CHECK_FALSE(empty->seek(0));
  CHECK_FALSE(empty->next());
  CHECK_THROWS_AS((void)empty->current_component(), DynAny::TypeMismatch);
  CHECK_THROWS_AS((void)empty->current_member_name(), DynAny::TypeMismatch);
  CHECK_THROWS_AS(empty->insert_long(1), DynAny::TypeMismatch);
  empty->set_members({});
  CHECK(empty->get_members().empty());
  CHECK(made(empty->to_any())->equal(empty));
}

TEST_CASE("a DynAny is a local object with the interfaces of its kind only") {
  const DynRef dyn = made(point());
  CHECK(dyn->_is_a("IDL:omg.org/DynamicAny/DynStruct:1.0"));
  CHECK(dyn->_is_a("IDL:omg.org/DynamicAny/DynAny:1.0"));
  CHECK_FALSE(dyn->_is_a("IDL:omg.org/DynamicAny/DynUnion:1.0"));
  CHECK_FALSE(as<DynamicAny::DynUnion>(dyn));
  CHECK_THROWS_AS((void)dyn->_get_policy_overrides({}), CORBA::NO_IMPLEMENT);
}
