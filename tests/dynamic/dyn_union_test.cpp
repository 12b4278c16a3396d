// DynUnion.
#include "dynamic/dyn_any_support.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace {

using namespace perigee::test;
using DynamicAny::DynAny;
using DynamicAny::DynEnum;
using DynamicAny::DynUnion;

enum class Default : std::uint8_t { no, yes };

/// union over long: 1 and 2 select `number`, 3 selects `text`, and the default is `flag`.
TypeRef choice(Default has_default) {
  CORBA::UnionMemberSeq members;
  members.emplace_back("number", any_of(std::int32_t{1}), CORBA::_tc_long);
  members.emplace_back("number", any_of(std::int32_t{2}), CORBA::_tc_long);
  members.emplace_back("text", any_of(std::int32_t{3}), CORBA::_tc_string);
  if (has_default == Default::yes)
    members.emplace_back("flag", any_of(std::uint8_t{0}), CORBA::_tc_boolean);
  return types().create_union_tc("IDL:test/Choice:1.0", "Choice", CORBA::_tc_long, members);
}

/// union over boolean, with a member for each value.
TypeRef either() {
  CORBA::UnionMemberSeq members;
  members.emplace_back("number", any_of(true), CORBA::_tc_long);
  members.emplace_back("text", any_of(false), CORBA::_tc_string);
  return types().create_union_tc("IDL:test/Either:1.0", "Either", CORBA::_tc_boolean, members);
}

DynRef label(std::int32_t value) { return made(any_of(value)); }

}  // namespace

TEST_CASE("a union begins with its first named member and the default value") {
  const auto dyn = made_as<DynUnion>(choice(Default::no));
  CHECK(dyn->component_count() == 2);
  CHECK(dyn->get_discriminator()->get_long() == 1);
  CHECK(dyn->discriminator_kind() == CORBA::TCKind::tk_long);
  CHECK(dyn->member_name() == "number");
  CHECK(dyn->member_kind() == CORBA::TCKind::tk_long);
  CHECK(dyn->member()->get_long() == 0);
  CHECK(dyn->current_component() == dyn->get_discriminator());
  CHECK(dyn->next());
  CHECK(dyn->current_component() == dyn->member());
  CHECK_FALSE(dyn->next());
}

TEST_CASE("a discriminator of the same member keeps the member and its value") {
  const auto dyn = made_as<DynUnion>(choice(Default::no));
  const DynRef member = dyn->member();
  member->insert_long(7);
  dyn->set_discriminator(label(2));
  CHECK(dyn->member() == member);
  CHECK(member->get_long() == 7);
  const auto again = as<DynUnion>(made(dyn->to_any()));
  CHECK(again->get_discriminator()->get_long() == 2);
  CHECK(again->member()->get_long() == 7);
}

TEST_CASE("a discriminator of another member activates it and ends the former member") {
  const auto dyn = made_as<DynUnion>(choice(Default::no));
  const DynRef number = dyn->member();
  dyn->set_discriminator(label(3));
  CHECK_THROWS_AS((void)number->get_long(), CORBA::OBJECT_NOT_EXIST);
  CHECK(dyn->member_name() == "text");
  CHECK(dyn->get_string().empty());  // the current position is 1
  dyn->insert_string("new");
  CHECK(as<DynUnion>(made(dyn->to_any()))->member()->get_string() == "new");
}

TEST_CASE("a discriminator that selects no member sets the position to 0") {
  const auto dyn = made_as<DynUnion>(choice(Default::no));
  dyn->set_discriminator(label(9));
  CHECK(dyn->has_no_active_member());
  CHECK(dyn->component_count() == 1);
  CHECK(dyn->get_long() == 9);
  CHECK_THROWS_AS((void)dyn->member(), DynAny::InvalidValue);
  CHECK_THROWS_AS((void)dyn->member_name(), DynAny::InvalidValue);
  CHECK_THROWS_AS((void)dyn->member_kind(), DynAny::InvalidValue);
  CHECK(as<DynUnion>(made(dyn->to_any()))->has_no_active_member());
}

TEST_CASE("a change of the discriminator component selects the member too") {
  const auto dyn = made_as<DynUnion>(choice(Default::yes));
  const DynRef discriminator = dyn->get_discriminator();
  discriminator->insert_long(3);
  CHECK(dyn->member_name() == "text");
  dyn->rewind();
  dyn->insert_long(8);
  CHECK(dyn->member_name() == "flag");
  CHECK(discriminator->get_long() == 8);
}

TEST_CASE("a discriminator of another type raises TypeMismatch") {
  const auto dyn = made_as<DynUnion>(choice(Default::no));
  CHECK_THROWS_AS(dyn->set_discriminator(made(any_of(std::int16_t{1}))), DynAny::TypeMismatch);
  CHECK_THROWS_AS(dyn->set_discriminator(nullptr), CORBA::BAD_PARAM);
}

TEST_CASE("set_to_default_member selects a value that is not a label") {
  const auto dyn = made_as<DynUnion>(choice(Default::yes));
  dyn->seek(1);
  dyn->set_to_default_member();
  CHECK(dyn->current_component() == dyn->get_discriminator());
  CHECK(dyn->component_count() == 2);
  CHECK_FALSE(dyn->has_no_active_member());
  CHECK(dyn->member_name() == "flag");
  const std::int32_t value = dyn->get_discriminator()->get_long();
  CHECK((value < 1 || value > 3));
  dyn->member()->insert_boolean(true);
  dyn->set_to_default_member();
  CHECK(dyn->member()->get_boolean());
  CHECK_THROWS_AS(dyn->set_to_no_active_member(), DynAny::TypeMismatch);
}

TEST_CASE("set_to_no_active_member selects a value that is not a label") {
  const auto dyn = made_as<DynUnion>(choice(Default::no));
  const DynRef member = dyn->member();
  dyn->set_to_no_active_member();
  CHECK(dyn->has_no_active_member());
  CHECK(dyn->component_count() == 1);
  CHECK(dyn->current_component() == dyn->get_discriminator());
  CHECK_THROWS_AS((void)member->get_long(), CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS(dyn->set_to_default_member(), DynAny::TypeMismatch);
}

TEST_CASE("a union with all discriminators as labels always has an active member") {
  const auto dyn = made_as<DynUnion>(either());
  CHECK_FALSE(dyn->has_no_active_member());
  CHECK_THROWS_AS(dyn->set_to_no_active_member(), DynAny::TypeMismatch);
  CHECK_THROWS_AS(dyn->set_to_default_member(), DynAny::TypeMismatch);
  dyn->get_discriminator()->insert_boolean(false);
  CHECK(dyn->member_name() == "text");
}

TEST_CASE("a union over an enum is switched by the name of an enumerator") {
  const TypeRef colour =
      types().create_enum_tc("IDL:test/Colour:1.0", "Colour", {"red", "green", "blue"});
  const auto enumerator = [&](std::uint32_t index) {
    const auto dyn = made_as<DynEnum>(colour);
    dyn->set_as_ulong(index);
    return dyn->to_any();
  };
  CORBA::UnionMemberSeq members;
  members.emplace_back("shade", enumerator(1), CORBA::_tc_double);
  members.emplace_back("name", enumerator(0), CORBA::_tc_string);
  const auto dyn =
      made_as<DynUnion>(types().create_union_tc("IDL:test/Paint:1.0", "Paint", colour, members));
  CHECK(dyn->member_name() == "shade");
  as<DynEnum>(dyn->get_discriminator())->set_as_string("red");
  CHECK(dyn->member_name() == "name");
  dyn->set_to_no_active_member();
  CHECK(as<DynEnum>(dyn->get_discriminator())->get_as_string() == "blue");
}

TEST_CASE("a union whose first member is the default begins with the default") {
  CORBA::UnionMemberSeq members;
  members.emplace_back("other", any_of(std::uint8_t{0}), CORBA::_tc_double);
  members.emplace_back("zero", any_of(std::int32_t{0}), CORBA::_tc_string);
  const auto dyn = made_as<DynUnion>(
      types().create_union_tc("IDL:test/First:1.0", "First", CORBA::_tc_long, members));
  CHECK(dyn->member_name() == "other");
  CHECK(dyn->get_discriminator()->get_long() != 0);
  dyn->get_discriminator()->insert_long(0);
  CHECK(dyn->member_name() == "zero");
  CHECK(as<DynUnion>(made(dyn->to_any()))->member_name() == "zero");
}

TEST_CASE("assign replaces a union, and components of the same types stay") {
  const auto dyn = made_as<DynUnion>(choice(Default::no));
  const DynRef discriminator = dyn->get_discriminator();
  const DynRef member = dyn->member();
  const auto other = made_as<DynUnion>(choice(Default::no));
  other->set_discriminator(label(3));
  dyn->assign(other);
  CHECK(discriminator->get_long() == 3);
  CHECK_THROWS_AS((void)member->get_long(), CORBA::OBJECT_NOT_EXIST);
  CHECK(dyn->equal(other));
  CHECK(dyn->member_name() == "text");
  dyn->set_discriminator(label(1));
  CHECK(dyn->member_name() == "number");
}

TEST_CASE("a member that has no default value leaves the union as it was") {
  const TypeRef local = types().create_local_interface_tc("IDL:test/Local:1.0", "Local");
  CORBA::UnionMemberSeq members;
  members.emplace_back("number", any_of(std::int32_t{1}), CORBA::_tc_long);
  members.emplace_back("local", any_of(std::int32_t{2}), struct_of("Holder", {{"l", local}}));
  const auto dyn = made_as<DynUnion>(
      types().create_union_tc("IDL:test/Odd:1.0", "Odd", CORBA::_tc_long, members));
  dyn->member()->insert_long(5);
  CHECK_THROWS_AS(dyn->set_discriminator(label(2)),
                  DynamicAny::DynAnyFactory::InconsistentTypeCode);
  CHECK_THROWS_AS(dyn->get_discriminator()->insert_long(2),
                  DynamicAny::DynAnyFactory::InconsistentTypeCode);
  CHECK(dyn->get_discriminator()->get_long() == 1);
  CHECK(dyn->member()->get_long() == 5);
}
