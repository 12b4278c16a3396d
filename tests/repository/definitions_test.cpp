// Each kind of definition: what is written can be read.
#include "served.h"

namespace perigee::test {

using CORBA::DefinitionKind;
using CORBA::PrimitiveKind;

namespace {

template <typename T>
T description_of(const Ref<CORBA::Contained>& definition) {
  const CORBA::Contained::Description description = definition->describe();
  T result;
  REQUIRE((description.value() >>= result));
  return result;
}

}  // namespace

TEST_CASE("a module has an id, a name, a version and a place") {
  const Served served;
  const auto outer = served.repository->create_module("IDL:Stock:1.0", "Stock", "1.0");
  const auto inner = outer->create_module("IDL:Stock/Parts:2.1", "Parts", "2.1");
  CHECK(inner->def_kind() == DefinitionKind::dk_Module);
  CHECK(inner->id() == "IDL:Stock/Parts:2.1");
  CHECK(inner->name() == "Parts");
  CHECK(inner->version() == "2.1");
  CHECK(inner->absolute_name() == "::Stock::Parts");
  CHECK(inner->defined_in()->_is_equivalent(outer));
  CHECK(inner->containing_repository()->_is_equivalent(served.repository));
  const auto description = description_of<CORBA::ModuleDescription>(inner);
  CHECK(description.id() == "IDL:Stock/Parts:2.1");
  CHECK(description.defined_in() == "IDL:Stock:1.0");
}

TEST_CASE("a constant has a type and a value, and refuses values of other types") {
  const Served served;
  CORBA::Any value;
  value <<= std::int32_t{42};
  const auto constant = served.repository->create_constant("IDL:Limit:1.0", "Limit", "1.0",
                                                           served.long_type(), value);
  CHECK(constant->type()->equal(CORBA::_tc_long));
  std::int32_t number = 0;
  CHECK((constant->value() >>= number));
  CHECK(number == 42);
  CHECK(constant->type_def()->type()->equal(CORBA::_tc_long));
  CORBA::Any text;
  text <<= std::string("many");
  CHECK_THROWS_AS(constant->value(text), CORBA::BAD_PARAM);
  CHECK((constant->value() >>= number));  // unchanged
  CHECK(description_of<CORBA::ConstantDescription>(constant).name() == "Limit");
}

TEST_CASE("the members of a struct can be read and replaced") {
  const Served served;
  const auto point = served.make_struct("Point");
  CORBA::StructMemberSeq members = point->members();
  REQUIRE(members.size() == 2);
  CHECK(members[1].name() == "y");
  CHECK(members[1].type()->equal(CORBA::_tc_long));
  CHECK(members[1].type_def()->_is_equivalent(served.long_type()));
  point->members({Served::member("z", served.primitive(PrimitiveKind::pk_double))});
  CHECK(point->type()->member_count() == 1);
  CHECK(point->type()->member_name(0) == "z");
  CHECK(description_of<CORBA::TypeDescription>(point).type()->equal(point->type()));
}

TEST_CASE("a union has a discriminator and labels") {
  const Served served;
  CORBA::Any one;
  one <<= std::int32_t{1};
  CORBA::Any otherwise;
  otherwise <<= std::uint8_t{0};
  const auto made = served.repository->create_union(
      "IDL:Choice:1.0", "Choice", "1.0", served.long_type(),
      {CORBA::UnionMember("number", one, CORBA::_tc_void, served.long_type()),
       CORBA::UnionMember("text", otherwise, CORBA::_tc_void,
                          served.primitive(PrimitiveKind::pk_string))});
  CHECK(made->discriminator_type()->equal(CORBA::_tc_long));
  CHECK(made->discriminator_type_def()->_is_equivalent(served.long_type()));
  const CORBA::UnionMemberSeq members = made->members();
  REQUIRE(members.size() == 2);
  CHECK(members[0].label().type()->equal(CORBA::_tc_long));
  CHECK(made->type()->default_index() == 1);
}

TEST_CASE("enums, aliases, boxed values and native types have TypeCodes") {
  const Served served;
  const auto colour =
      served.repository->create_enum("IDL:Colour:1.0", "Colour", "1.0", {"red", "green"});
  CHECK(colour->members() == CORBA::EnumMemberSeq{"red", "green"});
  CHECK(colour->type()->member_name(1) == "green");
  const auto alias = served.repository->create_alias("IDL:Paint:1.0", "Paint", "1.0", colour);
  CHECK(alias->original_type_def()->_is_equivalent(colour));
  CHECK(alias->type()->content_type()->equal(colour->type()));
  const auto box =
      served.repository->create_value_box("IDL:Box:1.0", "Box", "1.0", served.long_type());
  CHECK(box->type()->kind() == CORBA::TCKind::tk_value_box);
  const auto native = served.repository->create_native("IDL:Handle:1.0", "Handle", "1.0");
  CHECK(native->type()->kind() == CORBA::TCKind::tk_native);
}

TEST_CASE("types without a name can be made and changed") {
  const Served served;
  const auto text = served.repository->create_string(5);
  CHECK(text->type()->length() == 5);
  text->bound(7);
  CHECK(text->bound() == 7);
  CHECK(served.repository->create_wstring(3)->type()->kind() == CORBA::TCKind::tk_wstring);
  const auto sequence = served.repository->create_sequence(4, text);
  CHECK(sequence->element_type()->length() == 7);
  sequence->element_type_def(served.long_type());
  CHECK(sequence->type()->content_type()->equal(CORBA::_tc_long));
  const auto array = served.repository->create_array(2, sequence);
  array->length(9);
  CHECK(array->type()->length() == 9);
  const auto fixed = served.repository->create_fixed(9, 2);
  fixed->scale(3);
  CHECK(fixed->type()->fixed_scale() == 3);
  CHECK(fixed->digits() == 9);
  CHECK(served.repository->get_primitive(PrimitiveKind::pk_any)->kind() == PrimitiveKind::pk_any);
}

TEST_CASE("an interface describes its operations and attributes, and those of its bases") {
  const Served served;
  const auto base = served.make_interface("Base");
  (void)base->create_attribute("IDL:Base/size:1.0", "size", "1.0", served.long_type(),
                               CORBA::AttributeMode::ATTR_READONLY);
  const auto broken = served.repository->create_exception(
      "IDL:Broken:1.0", "Broken", "1.0", {Served::member("code", served.long_type())});
  CHECK(broken->type()->kind() == CORBA::TCKind::tk_except);
  CHECK(broken->members().size() == 1);
  const auto derived = served.make_interface("Derived", {base});
  const auto operation = derived->create_operation(
      "IDL:Derived/add:1.0", "add", "1.0", served.long_type(), CORBA::OperationMode::OP_NORMAL,
      {CORBA::ParameterDescription("a", CORBA::_tc_void, served.long_type(),
                                   CORBA::ParameterMode::PARAM_INOUT)},
      {broken}, {"LOCALE"});
  CHECK(operation->params().front().mode() == CORBA::ParameterMode::PARAM_INOUT);
  CHECK(operation->contexts() == CORBA::ContextIdSeq{"LOCALE"});
  CHECK(operation->exceptions().front()->_is_equivalent(broken));
  const auto described = derived->describe_interface();
  REQUIRE(described.operations().size() == 1);
  CHECK(described.operations()[0].exceptions()[0].id() == "IDL:Broken:1.0");
  REQUIRE(described.attributes().size() == 1);
  CHECK(described.attributes()[0].mode() == CORBA::AttributeMode::ATTR_READONLY);
  CHECK(described.base_interfaces() == CORBA::RepositoryIdSeq{"IDL:Base:1.0"});
  CHECK(described.type()->id() == "IDL:Derived:1.0");
  CHECK(derived->is_a("IDL:Base:1.0"));
  CHECK(derived->is_a("IDL:omg.org/CORBA/Object:1.0"));
  CHECK_FALSE(derived->is_a("IDL:Other:1.0"));
}

TEST_CASE("attributes have exceptions through the extended interfaces") {
  const Served served;
  const auto broken = served.repository->create_exception("IDL:Broken:1.0", "Broken", "1.0", {});
  const auto extended = IDL::traits<CORBA::ExtInterfaceDef>::narrow(served.make_interface("Desk"));
  REQUIRE(extended);
  const auto attribute =
      extended->create_ext_attribute("IDL:Desk/level:1.0", "level", "1.0", served.long_type(),
                                     CORBA::AttributeMode::ATTR_NORMAL, {broken}, {});
  CHECK(attribute->describe_attribute().get_exceptions().front().name() == "Broken");
  attribute->set_exceptions(attribute->get_exceptions());
  const auto described = extended->describe_ext_interface();
  CHECK(described.attributes().front().put_exceptions().front().id() == "IDL:Broken:1.0");
}

TEST_CASE("abstract and local interfaces have TypeCodes of their kinds") {
  const Served served;
  const auto abstract =
      served.repository->create_abstract_interface("IDL:Shape:1.0", "Shape", "1.0", {});
  CHECK(abstract->def_kind() == DefinitionKind::dk_AbstractInterface);
  CHECK(abstract->type()->kind() == CORBA::TCKind::tk_abstract_interface);
  const auto local = served.repository->create_local_interface("IDL:Near:1.0", "Near", "1.0", {});
  CHECK(local->type()->kind() == CORBA::TCKind::tk_local_interface);
}

TEST_CASE("a valuetype describes its members, bases and initializers") {
  const Served served;
  const auto none = served.repository->create_value("IDL:Root:1.0", "Root", "1.0", false, true,
                                                    nullptr, false, {}, {}, {});
  const auto supported = served.make_interface("Printable");
  const auto value = served.repository->create_value(
      "IDL:Node:1.0", "Node", "1.0", false, false, nullptr, false, {none}, {supported},
      {CORBA::Initializer({Served::member("start", served.long_type())}, "create")});
  const auto next =
      value->create_value_member("IDL:Node/next:1.0", "next", "1.0", value, CORBA::PUBLIC_MEMBER);
  CHECK(next->access() == CORBA::PUBLIC_MEMBER);
  CHECK(description_of<CORBA::ValueMember>(next).type()->kind() == CORBA::TCKind::tk_value);
  const auto described = value->describe_value();
  CHECK(described.members().size() == 1);
  CHECK(described.initializers().front().name() == "create");
  CHECK(described.abstract_base_values() == CORBA::RepositoryIdSeq{"IDL:Root:1.0"});
  CHECK(described.supported_interfaces() == CORBA::RepositoryIdSeq{"IDL:Printable:1.0"});
  CHECK(value->type()->member_count() == 1);
  CHECK(value->is_a("IDL:Root:1.0"));
  value->is_truncatable(true);
  CHECK(description_of<CORBA::ValueDescription>(value).is_truncatable());
}

TEST_CASE("an extended valuetype has initializers with exceptions") {
  const Served served;
  const auto broken = served.repository->create_exception("IDL:Broken:1.0", "Broken", "1.0", {});
  const CORBA::ExtInitializer initializer(
      {}, {CORBA::ExceptionDescription("Broken", "IDL:Broken:1.0", "", "1.0", CORBA::_tc_void)},
      "make");
  const auto value = served.repository->create_ext_value("IDL:V:1.0", "V", "1.0", false, false,
                                                         nullptr, false, {}, {}, {initializer});
  const auto described = value->describe_ext_value();
  CHECK(described.initializers().front().exceptions().front().type()->equal(broken->type()));
  CHECK(value->ext_initializers().front().name() == "make");
}

}  // namespace perigee::test
