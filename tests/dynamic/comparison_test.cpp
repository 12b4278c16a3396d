// Equality of DynAnys whose values share parts, or whose equal parts have different octets.
#include "dynamic/dyn_any_support.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace perigee::test;
using DynamicAny::DynAny;
using DynamicAny::DynStruct;
using DynamicAny::DynValue;

/// valuetype Node { public <child> left, right; public TypeCode type; };
TypeRef node_type(const TypeRef& child) {
  CORBA::ValueMemberSeq members;
  for (const char* name : {"left", "right"})
    members.emplace_back(name, "", "", "", child, nullptr, CORBA::PUBLIC_MEMBER);
  members.emplace_back("type", "", "", "", CORBA::_tc_TypeCode, nullptr, CORBA::PUBLIC_MEMBER);
  return types().create_value_tc("IDL:test/Node:1.0", "Node", CORBA::VM_NONE, nullptr, members);
}

/// Both children of each node are the same node. `type` is in the last node.
DynRef diamond(const TypeRef& node, const TypeRef& type, int levels) {
  CORBA::Any value = made(node)->to_any();
  for (int level = 0; level != levels; ++level) {
    const auto dyn = made_as<DynValue>(node);
    dyn->set_to_value();
    CORBA::Any child = value;
    if (const auto holder = as<DynStruct>(dyn->current_component())) {
      holder->set_members({{"", value}});
      child = holder->to_any();
    }
    dyn->set_members(
        {{"", child}, {"", child}, {"", any_of(level == 0 ? type : TypeRef(CORBA::_tc_long))}});
    value = dyn->to_any();
  }
  return made(value);
}

TypeRef alias_of(const TypeRef& type) {
  return types().create_alias_tc("IDL:test/Name:1.0", "Name", type);
}

}  // namespace

TEST_CASE("values that share their members on each of 60 levels are compared once a level") {
  const TypeRef node = node_type(types().create_recursive_tc("IDL:test/Node:1.0"));
  const DynRef plain = diamond(node, CORBA::_tc_long, 60);
  CHECK(plain->equal(diamond(node, alias_of(CORBA::_tc_long), 60)));
  CHECK_FALSE(plain->equal(diamond(node, CORBA::_tc_double, 60)));
  CHECK_FALSE(plain->equal(diamond(node, alias_of(CORBA::_tc_long), 59)));
}

TEST_CASE("values whose members are inside structs are compared by their members") {
  const TypeRef node =
      node_type(struct_of("Holder", {{"node", types().create_recursive_tc("IDL:test/Node:1.0")}}));
  const DynRef plain = diamond(node, CORBA::_tc_long, 8);
  CHECK(plain->equal(diamond(node, alias_of(CORBA::_tc_long), 8)));
  CHECK_FALSE(plain->equal(diamond(node, CORBA::_tc_double, 8)));
}

TEST_CASE("a comparison keeps the position and the current component") {
  const TypeRef node = node_type(types().create_recursive_tc("IDL:test/Node:1.0"));
  const DynRef dyn = diamond(node, CORBA::_tc_long, 2);
  dyn->seek(2);
  const DynRef type = dyn->current_component();
  CHECK(dyn->equal(diamond(node, alias_of(CORBA::_tc_long), 2)));
  CHECK(dyn->current_component() == type);
}
