// TypeCodes of definitions that refer to each other.
#include "served.h"

namespace perigee::test {

TEST_CASE("a struct may contain itself in a sequence") {
  const Served served;
  const auto tree = served.repository->create_struct("IDL:Tree:1.0", "Tree", "1.0", {});
  const auto children = served.repository->create_sequence(0, tree);
  tree->members(
      {Served::member("value", served.long_type()), Served::member("children", children)});
  const auto type = tree->type();
  CHECK(type->member_type(1)->content_type()->equal(type));
  CHECK(children->type()->content_type()->equal(type));
}

TEST_CASE("each part of a recursive type has a TypeCode, in any order of the requests") {
  const Served served;
  const auto node = served.repository->create_struct("IDL:Node:1.0", "Node", "1.0", {});
  const auto nodes = served.repository->create_alias("IDL:Nodes:1.0", "Nodes", "1.0",
                                                     served.repository->create_sequence(0, node));
  node->members({Served::member("children", nodes)});
  const auto alias = served.repository->create_alias("IDL:Other:1.0", "Other", "1.0", nodes);
  CHECK(alias->type()->content_type()->equal(nodes->type()));
  CHECK(nodes->type()->content_type()->content_type()->equivalent(node->type()));
}

TEST_CASE("types that all refer to each other end in a limit") {
  const Served served;
  std::vector<Ref<CORBA::StructDef>> all;
  CORBA::StructMemberSeq members;
  for (int index = 0; index < 12; ++index) {
    const std::string name = "S" + std::to_string(index);
    all.push_back(served.repository->create_struct("IDL:" + name + ":1.0", name, "1.0", {}));
    members.push_back(
        Served::member("m" + name, served.repository->create_sequence(0, all.back())));
  }
  const auto connect = [&] {
    for (const auto& one : all) one->members(members);
  };
  CHECK_THROWS_AS(connect(), CORBA::IMP_LIMIT);
}

TEST_CASE("a struct that would contain itself directly is refused") {
  const Served served;
  const auto first = served.make_struct("First");
  const auto alias = served.repository->create_alias("IDL:Alias:1.0", "Alias", "1.0", first);
  CHECK_THROWS_AS(first->members({Served::member("self", alias)}), CORBA::BAD_TYPECODE);
  CHECK(first->members().size() == 2);
  CHECK_THROWS_AS(alias->original_type_def(alias), CORBA::BAD_TYPECODE);
  CHECK(alias->original_type_def()->_is_equivalent(first));
}

TEST_CASE("a change of a type changes the TypeCodes of its users") {
  const Served served;
  const auto point = served.make_struct("Point");
  const auto alias = served.repository->create_alias("IDL:Place:1.0", "Place", "1.0", point);
  CHECK(alias->type()->content_type()->member_count() == 2);
  point->members({});
  CHECK(alias->type()->content_type()->member_count() == 0);
  point->id("IDL:acme.com/Point:1.0");
  CHECK(alias->type()->content_type()->id() == "IDL:acme.com/Point:1.0");
}

TEST_CASE("a type whose size doubles at each level is not sent") {
  const Served served;
  Ref<CORBA::IDLType> last = served.long_type();
  for (int level = 0; level < 50; ++level) {
    const std::string name = "S" + std::to_string(level);
    last = served.repository->create_struct("IDL:" + name + ":1.0", name, "1.0",
                                            {Served::member("a", last), Served::member("b", last)});
  }
  CHECK_THROWS_AS((void)last->type(), CORBA::IMP_LIMIT);  // too large to send
}

TEST_CASE("members with the same name are refused") {
  const Served served;
  CHECK(minor_of<CORBA::BAD_PARAM>([&] {
          (void)served.repository->create_struct(
              "IDL:S:1.0", "S", "1.0",
              {Served::member("a", served.long_type()), Served::member("a", served.long_type())});
        }) == 17);
}

TEST_CASE("the canonical TypeCode is the TypeCode of the repository") {
  const Served served;
  const auto point = served.make_struct("Point");
  const auto compact = point->type()->get_compact_typecode();
  CHECK_FALSE(compact->equal(point->type()));
  CHECK(served.repository->get_canonical_typecode(compact)->equal(point->type()));
  const auto list = served.orbs.client->create_sequence_tc(0, compact);
  CHECK(served.repository->get_canonical_typecode(list)->content_type()->equal(point->type()));
  CHECK(served.repository->get_canonical_typecode(CORBA::_tc_long)->equal(CORBA::_tc_long));
}

TEST_CASE("a valuetype can have a member of a valuetype that derives from it") {
  const Served served;
  const auto make = [&](const std::string& name, const Ref<CORBA::ValueDef>& base) {
    return served.repository->create_value("IDL:" + name + ":1.0", name, "1.0", false, false, base,
                                           false, {}, {}, {});
  };
  const auto component = make("Component", nullptr);
  const auto composite = make("Composite", component);
  (void)component->create_value_member("IDL:Component/parent:1.0", "parent", "1.0", composite,
                                       CORBA::PRIVATE_MEMBER);
  const auto derived = composite->type();
  CHECK(derived->concrete_base_type()->id() == "IDL:Component:1.0");
  const auto type = component->type();
  REQUIRE(type->member_count() == 1);
  CHECK(type->member_type(0)->concrete_base_type()->id() == "IDL:Component:1.0");
  CHECK(type->member_type(0)->concrete_base_type()->member_count() == 1);
  CHECK_THROWS_AS(component->base_value(composite), CORBA::BAD_PARAM);
}

}  // namespace perigee::test
