// The errors of the standard, and limits.
#include "served.h"
#include <perigee/orb/any_operators.h>

#include <limits>

namespace perigee::test {

TEST_CASE("a repository id and a name exist only once") {
  const Served served;
  (void)served.make_struct("Point");
  CHECK(minor_of<CORBA::BAD_PARAM>(
            [&] { (void)served.repository->create_module("IDL:Point:1.0", "Other", "1.0"); }) == 2);
  CHECK(minor_of<CORBA::BAD_PARAM>(
            [&] { (void)served.repository->create_module("IDL:Other:1.0", "POINT", "1.0"); }) == 3);
  const auto other = served.repository->create_module("IDL:Other:1.0", "Other", "1.0");
  CHECK(minor_of<CORBA::BAD_PARAM>([&] { other->id("IDL:Point:1.0"); }) == 2);
  CHECK(minor_of<CORBA::BAD_PARAM>([&] { other->name("point"); }) == 3);
  CHECK(other->name() == "Other");
  other->name("OTHER");  // its own name in another case
  CHECK(other->name() == "OTHER");
}

TEST_CASE("a container refuses kinds of definitions that it cannot have") {
  const Served served;
  const auto point = served.make_struct("Point");
  const auto desk = served.make_interface("Desk");
  CHECK(minor_of<CORBA::BAD_PARAM>([&] { (void)point->create_module("IDL:M:1.0", "M", "1.0"); }) ==
        4);
  CHECK(minor_of<CORBA::BAD_PARAM>([&] { desk->move(point, "Desk", "1.0"); }) == 4);
  const auto outer = served.repository->create_module("IDL:Outer:1.0", "Outer", "1.0");
  const auto inner = outer->create_module("IDL:Inner:1.0", "Inner", "1.0");
  CHECK(minor_of<CORBA::BAD_PARAM>([&] { outer->move(inner, "Outer", "1.0"); }) == 4);
}

TEST_CASE("an operation cannot have the name of an inherited operation") {
  const Served served;
  const auto base = served.make_interface("Base");
  const auto other = served.make_interface("Other");
  const auto add = [&](const Ref<CORBA::InterfaceDef>& to, const std::string& id) {
    (void)to->create_attribute(id, "size", "1.0", served.long_type(),
                               CORBA::AttributeMode::ATTR_NORMAL);
  };
  add(base, "IDL:Base/size:1.0");
  const auto derived = served.make_interface("Derived", {base});
  CHECK(minor_of<CORBA::BAD_PARAM>([&] { add(derived, "IDL:Derived/size:1.0"); }) == 5);
  add(other, "IDL:Other/size:1.0");
  CHECK(minor_of<CORBA::BAD_PARAM>([&] { derived->base_interfaces({base, other}); }) == 5);
  CHECK(derived->base_interfaces().size() == 1);
}

TEST_CASE("a definition that others use cannot be destroyed") {
  const Served served;
  const auto point = served.make_struct("Point");
  const auto alias = served.repository->create_alias("IDL:Place:1.0", "Place", "1.0", point);
  CHECK(minor_of<CORBA::BAD_INV_ORDER>([&] { point->destroy(); }) == 1);
  alias->destroy();
  point->destroy();
  CHECK_FALSE(served.repository->lookup_id("IDL:Point:1.0"));
  CHECK_THROWS_AS((void)point->name(), CORBA::OBJECT_NOT_EXIST);
  CHECK(minor_of<CORBA::BAD_INV_ORDER>([&] { served.repository->destroy(); }) == 2);
  CHECK(minor_of<CORBA::BAD_INV_ORDER>([&] { served.long_type()->destroy(); }) == 2);
}

TEST_CASE("a container is destroyed with its contents, and with their types without a name") {
  const Served served;
  const auto module = served.repository->create_module("IDL:M:1.0", "M", "1.0");
  const auto list = served.repository->create_sequence(0, served.long_type());
  const auto alias = module->create_alias("IDL:M/List:1.0", "List", "1.0", list);
  const auto unused = served.repository->create_string(3);
  module->destroy();
  CHECK_THROWS_AS((void)alias->name(), CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS((void)list->bound(), CORBA::OBJECT_NOT_EXIST);
  CHECK(unused->bound() == 3);  // a client may still use it
}

TEST_CASE("abstract interfaces, valuetypes and oneway operations obey the rules of IDL") {
  const Served served;
  const auto first = served.make_interface("First");
  const auto second = served.make_interface("Second");
  // A client with wrong stubs: the reference is not to an abstract interface.
  const auto wrong = IDL::traits<CORBA::AbstractInterfaceDef>::unchecked_narrow(first);
  CHECK(minor_of<CORBA::BAD_PARAM>([&] {
          (void)served.repository->create_abstract_interface("IDL:A:1.0", "A", "1.0", {wrong});
        }) == 11);
  CHECK(minor_of<CORBA::BAD_PARAM>([&] {
          (void)served.repository->create_value("IDL:V:1.0", "V", "1.0", false, false, nullptr,
                                                false, {}, {first, second}, {});
        }) == 12);
  CHECK(minor_of<CORBA::BAD_PARAM>([&] {
          (void)first->create_operation("IDL:First/f:1.0", "f", "1.0", served.long_type(),
                                        CORBA::OperationMode::OP_ONEWAY, {}, {}, {});
        }) == 31);
}

TEST_CASE("an interface cannot be its own base") {
  const Served served;
  const auto base = served.make_interface("Base");
  const auto derived = served.make_interface("Derived", {base});
  CHECK_THROWS_AS(base->base_interfaces({derived}), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(base->base_interfaces({base}), CORBA::BAD_PARAM);
  CHECK(base->base_interfaces().empty());
}

TEST_CASE("names and ids that are not IDL are refused") {
  const Served served;
  for (const char* name : {"", "1a", "a-b", "_a", "a b", "\xc3\xa4"}) {
    CAPTURE(name);
    CHECK_THROWS_AS((void)served.repository->create_module("IDL:M:1.0", name, "1.0"),
                    CORBA::BAD_PARAM);
  }
  for (const char* id : {"", ":", "Stock", "IDL:a b:1.0", "IDL:\x01:1.0"}) {
    CAPTURE(id);
    CHECK_THROWS_AS((void)served.repository->create_module(id, "M", "1.0"), CORBA::BAD_PARAM);
  }
  CHECK(served.repository->contents(CORBA::DefinitionKind::dk_all, true).empty());
}

TEST_CASE("references to other objects are refused as types") {
  const Served served;
  const auto foreign = IDL::traits<CORBA::IDLType>::unchecked_narrow(
      served.orbs.client->string_to_object("corbaloc::127.0.0.1:9/Other"));
  CHECK_THROWS_AS((void)served.repository->create_sequence(0, foreign), CORBA::BAD_PARAM);
  CHECK_THROWS_AS((void)served.repository->create_sequence(0, nullptr), CORBA::BAD_PARAM);
  const auto module = served.repository->create_module("IDL:M:1.0", "M", "1.0");
  CHECK_THROWS_AS((void)served.repository->create_sequence(
                      0, IDL::traits<CORBA::IDLType>::unchecked_narrow(module)),
                  CORBA::BAD_PARAM);
}

TEST_CASE("a writer that reaches a limit gets NO_RESOURCES, and nothing changes") {
  repository::Options options;
  options.limits = {.definitions_max = 30, .text_size_max = 20, .list_size_max = 2, .depth_max = 3};
  const Served served(options);
  const auto create = [&](const std::string& name) {
    return served.repository->create_module("IDL:" + name + ":1.0", name, "1.0");
  };
  CHECK_THROWS_AS((void)create(std::string(21, 'a')), CORBA::NO_RESOURCES);
  CHECK_THROWS_AS((void)served.repository->create_enum("IDL:E:1.0", "E", "1", {"a", "b", "c"}),
                  CORBA::NO_RESOURCES);
  const auto second = create("M1")->create_module("IDL:M2:1.0", "M2", "1.0");
  const auto third = second->create_module("IDL:M3:1.0", "M3", "1.0");
  CHECK_THROWS_AS((void)third->create_module("IDL:M4:1.0", "M4", "1.0"), CORBA::NO_RESOURCES);
  (void)create("M5");  // the 30th, with the repository and 25 primitive types
  CHECK_THROWS_AS((void)create("M6"), CORBA::NO_RESOURCES);
  CHECK_THROWS_AS((void)served.repository->create_string(1), CORBA::NO_RESOURCES);
}

TEST_CASE("a move counts the levels inside the moved definition") {
  repository::Options options;
  options.limits.depth_max = 4;
  const Served served(options);
  const auto make = [](const auto& container, const std::string& name) {
    return container->create_module("IDL:" + name + ":1.0", name, "1.0");
  };
  const auto a = make(served.repository, "A");
  const auto c = make(make(a, "B"), "C");
  const auto outer = make(served.repository, "Outer");
  const auto inner = make(outer, "Inner");
  CHECK_THROWS_AS(a->move(inner, "A", "1.0"), CORBA::NO_RESOURCES);  // five levels
  CHECK(c->absolute_name() == "::A::B::C");
  a->move(outer, "A", "1.0");
  CHECK(c->absolute_name() == "::Outer::A::B::C");
  c->name("D");  // a new name changes no level
  CHECK(c->absolute_name() == "::Outer::A::B::D");
}

TEST_CASE("a module is destroyed with sequences of its own structs") {
  const Served served;
  const auto module = served.repository->create_module("IDL:M:1.0", "M", "1.0");
  const auto point = module->create_struct("IDL:M/P:1.0", "P", "1.0", {});
  const auto list = served.repository->create_sequence(0, point);
  const auto lists = served.repository->create_sequence(0, list);
  (void)module->create_alias("IDL:M/List:1.0", "List", "1.0", list);
  const auto outside = served.repository->create_alias("IDL:Outside:1.0", "Outside", "1.0", lists);
  CHECK(minor_of<CORBA::BAD_INV_ORDER>([&] { module->destroy(); }) == 1);
  CHECK(list->bound() == 0);  // nothing has changed
  outside->destroy();
  CHECK_THROWS_AS((void)lists->bound(), CORBA::OBJECT_NOT_EXIST);
  module->destroy();
  CHECK_THROWS_AS((void)list->bound(), CORBA::OBJECT_NOT_EXIST);
  CHECK(served.repository->contents(CORBA::DefinitionKind::dk_all, true).empty());
}

TEST_CASE("a recursive struct is destroyed with the sequence of itself") {
  const Served served;
  const auto node = served.repository->create_struct("IDL:Node:1.0", "Node", "1.0", {});
  const auto children = served.repository->create_sequence(0, node);
  node->members({Served::member("c", children)});
  node->destroy();
  CHECK_FALSE(served.repository->lookup_id("IDL:Node:1.0"));
  CHECK_THROWS_AS((void)children->bound(), CORBA::OBJECT_NOT_EXIST);
}

TEST_CASE("a type without a name ends when a change removes its last use") {
  repository::Options options;
  options.limits.definitions_max = 40;
  const Served served(options);
  const auto point = served.make_struct("Point");
  const auto kept = served.repository->create_string(3);
  (void)served.repository->create_alias("IDL:Kept:1.0", "Kept", "1.0", kept);
  auto former = served.repository->create_string(1);
  point->members({Served::member("s", former)});
  for (std::uint32_t round = 2; round < 50; ++round) {
    const auto next = served.repository->create_string(round);
    point->members({Served::member("s", next), Served::member("k", kept)});
    CHECK_THROWS_AS((void)former->bound(), CORBA::OBJECT_NOT_EXIST);
    former = next;
  }
  CHECK_THROWS_AS(point->members({Served::member("1", kept)}), CORBA::BAD_PARAM);
  CHECK(former->bound() == 49);  // the change was refused
  point->members({Served::member("x", served.long_type())});
  CHECK_THROWS_AS((void)former->bound(), CORBA::OBJECT_NOT_EXIST);
  CHECK(kept->bound() == 3);
}

TEST_CASE("a base is named only once") {
  const Served served;
  const auto base = served.make_interface("Base");
  CHECK_THROWS_AS((void)served.make_interface("Twice", {base, base}), CORBA::BAD_PARAM);
  const auto derived = served.make_interface("Derived", {base});
  // A long list of the same base takes no long time.
  CHECK_THROWS_AS(derived->base_interfaces(CORBA::InterfaceDefSeq(10'000, base)), CORBA::BAD_PARAM);
  CHECK(derived->base_interfaces().size() == 1);
  CHECK_THROWS_AS((void)served.repository->create_value("IDL:V:1.0", "V", "1.0", false, false,
                                                        nullptr, false, {}, {base, base}, {}),
                  CORBA::BAD_PARAM);
}

TEST_CASE("all members and contexts of a repository have a limit") {
  repository::Options options;
  options.limits.parts_max = 5;
  const Served served(options);
  const auto point = served.make_struct("Point");  // two members
  const auto more = [&] {
    (void)served.repository->create_enum("IDL:E:1.0", "E", "1.0", {"a", "b", "c", "d"});
  };
  CHECK_THROWS_AS(more(), CORBA::IMP_LIMIT);
  CHECK_FALSE(served.repository->lookup_id("IDL:E:1.0"));
  point->members({Served::member("x", served.long_type())});
  more();
  CHECK_THROWS_AS(
      point->members({Served::member("x", served.long_type()), Served::member("y", point)}),
      CORBA::SystemException);
  CHECK(point->members().size() == 1);
  point->destroy();
  (void)served.repository->create_enum("IDL:F:1.0", "F", "1.0", {"e"});
}

TEST_CASE("all constants, labels and texts of a repository have a limit") {
  repository::Options options;
  options.limits.octets_max = 2'000;
  const Served served(options);
  const auto create = [&](std::size_t size) {
    CORBA::Any value;
    value <<= std::string(size, 'x');
    return served.repository->create_constant(
        "IDL:K:1.0", "K", "1.0", served.primitive(CORBA::PrimitiveKind::pk_string), value);
  };
  CHECK_THROWS_AS((void)create(2'000), CORBA::IMP_LIMIT);
  const auto constant = create(1'500);
  CHECK_THROWS_AS(constant->version(std::string(1'000, '1')), CORBA::IMP_LIMIT);
  CHECK_THROWS_AS(constant->name(std::string(1'000, 'n')), CORBA::IMP_LIMIT);
  CHECK_THROWS_AS(constant->id("IDL:" + std::string(1'000, 'n') + ":1.0"), CORBA::IMP_LIMIT);
  CHECK(constant->name() == "K");
  const auto desk = served.make_interface("Desk");
  CHECK_THROWS_AS((void)desk->create_operation("IDL:Desk/f:1.0", "f", "1.0", served.void_type(),
                                               CORBA::OperationMode::OP_NORMAL, {}, {},
                                               {std::string(1'000, 'c')}),
                  CORBA::IMP_LIMIT);
  constant->destroy();
  (void)create(1'600);
}

TEST_CASE("a change that makes a dependent type impossible is refused") {
  const Served served;
  const auto text = served.primitive(CORBA::PrimitiveKind::pk_string);
  const auto alias =
      served.repository->create_alias("IDL:Key:1.0", "Key", "1.0", served.long_type());
  CORBA::Any one;
  one <<= std::int32_t{1};
  const auto choice = served.repository->create_union(
      "IDL:U:1.0", "U", "1.0", alias, {CORBA::UnionMember("u", one, CORBA::_tc_void, text)});
  const auto list = served.repository->create_sequence(0, choice);
  const auto outer =
      served.repository->create_struct("IDL:S:1.0", "S", "1.0", {Served::member("list", list)});
  CHECK_THROWS_AS(alias->original_type_def(text), CORBA::BAD_PARAM);
  CHECK(alias->original_type_def()->_is_equivalent(served.long_type()));
  CHECK(served.repository->describe_contents(CORBA::DefinitionKind::dk_all, true, -1).size() == 3);
  const auto inner = served.repository->create_struct("IDL:I:1.0", "I", "1.0", {});
  const auto holder =
      served.repository->create_struct("IDL:H:1.0", "H", "1.0", {Served::member("i", inner)});
  CHECK_THROWS_AS(inner->members({Served::member("h", holder)}), CORBA::BAD_TYPECODE);
  CHECK(inner->members().empty());
  CHECK(holder->type()->member_count() == 1);
}

TEST_CASE("types that depend on each other cannot become too deep by a change") {
  repository::Options options;
  options.limits.depth_max = 3;
  const Served served(options);
  const auto inner = served.repository->create_struct("IDL:I:1.0", "I", "1.0", {});
  const auto middle =
      served.repository->create_struct("IDL:M:1.0", "M", "1.0", {Served::member("i", inner)});
  const auto value = served.repository->create_value("IDL:V:1.0", "V", "1.0", false, false, nullptr,
                                                     false, {}, {}, {});
  const auto outer =
      served.repository->create_struct("IDL:O:1.0", "O", "1.0", {Served::member("v", value)});
  CHECK_THROWS_AS(
      (void)value->create_value_member("IDL:V/m:1.0", "m", "1.0", middle, CORBA::PUBLIC_MEMBER),
      CORBA::SystemException);
  (void)value->create_value_member("IDL:V/m:1.0", "m", "1.0", inner, CORBA::PUBLIC_MEMBER);
  CHECK_THROWS_AS(inner->members({Served::member("x", served.long_type())}),
                  CORBA::SystemException);
  CHECK(outer->type()->member_count() == 1);
  CHECK(value->contents(CORBA::DefinitionKind::dk_all, true).size() == 1);
  const auto other = served.repository->create_value("IDL:W:1.0", "W", "1.0", false, false, nullptr,
                                                     false, {}, {}, {});
  const auto member =
      other->create_value_member("IDL:W/n:1.0", "n", "1.0", middle, CORBA::PUBLIC_MEMBER);
  CHECK_THROWS_AS(member->move(value, "n", "1.0"), CORBA::SystemException);
  CHECK(member->absolute_name() == "::W::n");
  CHECK(outer->type()->member_count() == 1);
}

TEST_CASE("an attribute of a type without a TypeCode is refused") {
  const Served served;
  const auto desk = served.make_interface("Desk");
  CHECK_THROWS_AS((void)desk->create_attribute("IDL:Desk/a:1.0", "a", "1.0",
                                               served.primitive(CORBA::PrimitiveKind::pk_home),
                                               CORBA::AttributeMode::ATTR_NORMAL),
                  CORBA::BAD_TYPECODE);
  CHECK(desk->describe_interface().attributes().empty());
}

TEST_CASE("the type of a constant can change, and the value is checked when it is set") {
  const Served served;
  CORBA::Any five;
  five <<= std::int32_t{5};
  const auto constant =
      served.repository->create_constant("IDL:K:1.0", "K", "1.0", served.long_type(), five);
  constant->type_def(served.primitive(CORBA::PrimitiveKind::pk_short));
  CHECK(constant->type()->kind() == CORBA::TCKind::tk_short);
  CHECK_THROWS_AS(constant->value(five), CORBA::BAD_PARAM);
  CORBA::Any six;
  six <<= std::int16_t{6};
  constant->value(six);
  CHECK(constant->value() == six);
  CHECK_THROWS_AS(
      (void)served.repository->create_constant("IDL:L:1.0", "L", "1.0", served.long_type(), six),
      CORBA::BAD_PARAM);
}

TEST_CASE("parameters of an operation have different names") {
  const Served served;
  const auto desk = served.make_interface("Desk");
  const auto parameter = [&](const std::string& name) {
    return CORBA::ParameterDescription(name, CORBA::_tc_void, served.long_type(),
                                       CORBA::ParameterMode::PARAM_IN);
  };
  const auto add = [&](const std::string& second) {
    return desk->create_operation("IDL:Desk/f:1.0", "f", "1.0", served.void_type(),
                                  CORBA::OperationMode::OP_NORMAL,
                                  {parameter("x"), parameter(second)}, {}, {});
  };
  CHECK_THROWS_AS((void)add("x"), CORBA::BAD_PARAM);
  CHECK_THROWS_AS((void)add("X"), CORBA::BAD_PARAM);
  const auto operation = add("y");
  CHECK_THROWS_AS(operation->params({parameter("z"), parameter("z")}), CORBA::BAD_PARAM);
  CHECK(operation->params().size() == 2);
}

TEST_CASE("a change of a type that too many large types use is refused") {
  const Served served;
  const auto key = served.repository->create_alias("IDL:Key:1.0", "Key", "1.0", served.long_type());
  CORBA::StructMemberSeq members;
  for (int index = 0; index < 5'000; ++index)
    members.push_back(Served::member("m" + std::to_string(index), key));
  const auto large = served.repository->create_struct("IDL:Large:1.0", "Large", "1.0", members);
  const auto short_type = served.primitive(CORBA::PrimitiveKind::pk_short);
  key->original_type_def(short_type);
  for (int index = 0; index < 100; ++index) (void)served.repository->create_sequence(0, large);
  CHECK_THROWS_AS(key->original_type_def(served.long_type()), CORBA::IMP_LIMIT);
  CHECK(key->original_type_def()->_is_equivalent(short_type));
}

}  // namespace perigee::test
