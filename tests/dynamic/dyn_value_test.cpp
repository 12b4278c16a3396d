// DynValue and DynValueBox.
#include "cdr/typecode_nodes.h"
#include "dynamic/dyn_any_support.h"
#include <perigee/cdr/operators.h>
#include <perigee/orb/make_reference.h>
#include <perigee/orb/value.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace {

using namespace perigee::test;
namespace cdr = perigee::cdr;
namespace nodes = perigee::cdr::test;
using cdr::TypeKind;
using cdr::TypeMember;
using cdr::TypeNode;
using CORBA::TypeCodeConstant;
using DynamicAny::DynAny;
using DynamicAny::DynValue;
using DynamicAny::DynValueBox;
using ValueReference = CORBA::valuetype_reference<CORBA::ValueBase>;

/// valuetype Link { private long number; private Link next; }; as a C++ class.
extern const TypeNode link_type;
constexpr TypeMember link_members[] = {{"number", &cdr::basic_node<TypeKind::tk_long>, 0},
                                       {"next", &link_type, 1}};
constexpr TypeNode link_type{
    .kind = TypeKind::tk_value, .id = "IDL:Link:1.0", .name = "Link", .members = link_members};
/// valuetype Long : truncatable Link { private string text; };
constexpr TypeMember long_members[] = {{"text", &cdr::string_node<>, 0}};
constexpr TypeNode long_type{.kind = TypeKind::tk_value,
                             .scale = CORBA::VM_TRUNCATABLE,
                             .id = "IDL:Long:1.0",
                             .name = "Long",
                             .content = &link_type,
                             .members = long_members};
constexpr TypeNode custom_type{
    .kind = TypeKind::tk_value, .scale = CORBA::VM_CUSTOM, .id = "IDL:Own:1.0", .name = "Own"};

class Link : public virtual CORBA::ValueBase {
 public:
  static constexpr perigee::value::Description description{"IDL:Link:1.0"};
  explicit Link(std::int32_t number, ValueReference next = nullptr)
      : number_(number), next_(std::move(next)) {}
  [[nodiscard]] const perigee::value::Description& _description() const noexcept override {
    return description;
  }
  void _marshal(cdr::Encoder& encoder) const override { encoder << number_ << next_; }
  void _unmarshal(cdr::Decoder& decoder) override { decoder >> number_ >> next_; }
  void next(ValueReference next) { next_ = std::move(next); }

 private:
  std::int32_t number_;
  ValueReference next_;
};

class Long final : public Link {
 public:
  static constexpr perigee::value::Description own{"IDL:Long:1.0", &Link::description};
  using Link::Link;
  [[nodiscard]] const perigee::value::Description& _description() const noexcept override {
    return own;
  }
  void _marshal(cdr::Encoder& encoder) const override {
    Link::_marshal(encoder);
    encoder << std::string("long");
  }
};

CORBA::Any any_of_value(const ValueReference& value, const TypeNode& type = link_type) {
  const DynRef dyn = made(TypeCodeConstant(&type));
  dyn->insert_val(value);
  return dyn->to_any();
}

ValueReference link(std::int32_t number, ValueReference next = nullptr) {
  return CORBA::make_reference<Link>(number, std::move(next));
}

}  // namespace

TEST_CASE("a valuetype begins as null, without components") {
  const auto dyn = made_as<DynValue>(TypeCodeConstant(&link_type));
  CHECK(dyn->is_null());
  CHECK(dyn->component_count() == 0);
  CHECK_FALSE(dyn->current_component());
  CHECK_FALSE(dyn->seek(0));
  CHECK_FALSE(dyn->get_val());
  CHECK_THROWS_AS((void)dyn->get_members(), DynAny::InvalidValue);
  CHECK_THROWS_AS((void)dyn->get_members_as_dyn_any(), DynAny::InvalidValue);
  CHECK_THROWS_AS((void)dyn->current_member_name(), DynAny::InvalidValue);
}

TEST_CASE("set_to_value gives default members, and keeps a value that is there") {
  const auto dyn = made_as<DynValue>(TypeCodeConstant(&link_type));
  dyn->set_to_value();
  CHECK_FALSE(dyn->is_null());
  CHECK(dyn->component_count() == 2);
  CHECK(dyn->get_long() == 0);
  dyn->insert_long(5);
  dyn->set_to_value();
  CHECK(dyn->get_long() == 5);
  const DynRef number = dyn->current_component();
  dyn->set_to_null();
  CHECK(dyn->is_null());
  CHECK_FALSE(dyn->current_component());
  CHECK_THROWS_AS((void)number->get_long(), CORBA::OBJECT_NOT_EXIST);
}

TEST_CASE("the members of a value are read level by level") {
  const DynRef dyn = made(any_of_value(link(1, link(2))));
  CHECK(dyn->get_long() == 1);
  CHECK(as<DynValue>(dyn)->current_member_kind() == TypeKind::tk_long);
  CHECK(dyn->next());
  CHECK(as<DynValue>(dyn)->current_member_name() == "next");
  const auto next = as<DynValue>(dyn->current_component());
  REQUIRE(next);
  CHECK(next->get_long() == 2);
  CHECK(as<DynValue>(next->get_members_as_dyn_any()[1].value())->is_null());
}

TEST_CASE("a value without changes is the same object, and a changed value is a new object") {
  const ValueReference value = link(1, link(2));
  const DynRef dyn = made(any_of_value(value));
  CHECK(dyn->get_val() == value);
  CHECK(dyn->get_long() == 1);
  CHECK(dyn->get_val() == value);
  dyn->insert_long(7);
  const ValueReference changed = dyn->get_val();
  REQUIRE(changed);
  CHECK_FALSE(changed == value);
  const DynRef again = made(dyn->to_any());
  CHECK(again->get_long() == 7);
  CHECK(made(any_of_value(value))->get_long() == 1);
}

TEST_CASE("values with equal members are equal") {
  const auto equal = [](const ValueReference& a, const ValueReference& b) {
    return made(any_of_value(a))->equal(made(any_of_value(b)));
  };
  CHECK(equal(link(1, link(2)), link(1, link(2))));
  CHECK_FALSE(equal(link(1, link(2)), link(1, link(3))));
  CHECK_FALSE(equal(link(1), link(1, link(2))));
  CHECK_FALSE(equal(link(1), nullptr));
  CHECK(equal(nullptr, nullptr));
}

TEST_CASE("set_members makes a value of null") {
  const auto dyn = made_as<DynValue>(TypeCodeConstant(&link_type));
  dyn->set_members({{"number", any_of(std::int32_t{4})}, {"next", any_of_value(link(5))}});
  CHECK_FALSE(dyn->is_null());
  CHECK(dyn->get_long() == 4);
  const auto again = as<DynValue>(made(dyn->to_any()));
  CHECK(again->get_members()[0].value() == any_of(std::int32_t{4}));
  again->seek(1);
  CHECK(again->current_component()->get_long() == 5);
  CHECK_THROWS_AS(dyn->set_members({}), DynAny::InvalidValue);
  CHECK_THROWS_AS(dyn->set_members({{"", any_of(1.0)}, {"", any_of_value(nullptr)}}),
                  DynAny::TypeMismatch);
}

TEST_CASE("the members of the concrete base come first, and a truncatable value is read again") {
  const auto dyn = made_as<DynValue>(TypeCodeConstant(&long_type));
  dyn->set_to_value();
  CHECK(dyn->component_count() == 3);
  dyn->insert_long(1);
  dyn->seek(2);
  CHECK(dyn->current_member_name() == "text");
  dyn->insert_string("last");
  const DynRef again = made(dyn->to_any());
  CHECK(again->get_long() == 1);
  again->seek(2);
  CHECK(again->get_string() == "last");
  CHECK(again->equal(dyn));
}

TEST_CASE("a value of a derived type has the members of the any's type") {
  const CORBA::Any any = any_of_value(CORBA::make_reference<Long>(3));
  const DynRef dyn = dyn_anys().create_dyn_any(any);
  CHECK(dyn->component_count() == 2);
  CHECK(dyn->get_long() == 3);
  CHECK_THROWS_AS((void)dyn_anys().create_dyn_any_without_truncation(any),
                  DynamicAny::MustTruncate);
  CHECK_THROWS_AS((void)dyn_anys().create_multiple_dyn_anys({any}, false),
                  DynamicAny::MustTruncate);
  CHECK(dyn_anys().create_multiple_dyn_anys({any}, true).size() == 1);
  CHECK(dyn_anys().create_dyn_any_without_truncation(any_of_value(link(1)))->get_long() == 1);
}

TEST_CASE("insert_val refuses values of other types") {
  const DynRef dyn = made(TypeCodeConstant(&long_type));
  CHECK_THROWS_AS(dyn->insert_val(link(1)), DynAny::TypeMismatch);
  CHECK_THROWS_AS(made(CORBA::_tc_long)->insert_val(link(1)), DynAny::TypeMismatch);
  CHECK_THROWS_AS((void)made(CORBA::_tc_long)->get_val(), DynAny::TypeMismatch);
}

TEST_CASE("insert_val and get_val act on the current component of a struct") {
  const DynRef dyn = made(struct_of("Holder", {{"link", TypeCodeConstant(&link_type)}}));
  CHECK_FALSE(dyn->get_val());
  const ValueReference value = link(6);
  dyn->insert_val(value);
  CHECK(dyn->get_val() == value);
  const DynRef again = made(dyn->to_any());
  CHECK(again->current_component()->get_long() == 6);
}

TEST_CASE("two members with one value still have one value after a change elsewhere") {
  const TypeRef pair = struct_of("Pair", {{"number", CORBA::_tc_long},
                                          {"left", TypeCodeConstant(&link_type)},
                                          {"right", TypeCodeConstant(&link_type)}});
  const auto dyn = made_as<DynamicAny::DynStruct>(pair);
  const CORBA::Any shared = any_of_value(link(1));
  dyn->set_members({{"", any_of(std::int32_t{1})}, {"", shared}, {"", shared}});
  dyn->insert_long(2);
  const auto members = as<DynamicAny::DynStruct>(made(dyn->to_any()))->get_members();
  ValueReference left;
  ValueReference right;
  CHECK((members[1].value() >>= left));
  CHECK((members[2].value() >>= right));
  CHECK(left);
  CHECK(left == right);
}

TEST_CASE("a value in a cycle is kept, but its members are refused") {
  const auto first = CORBA::make_reference<Link>(1);
  first->next(link(2, first));
  const DynRef dyn = made(any_of_value(first));
  CHECK(dyn->get_val() == ValueReference(first));
  CHECK_THROWS_AS((void)dyn->get_long(), CORBA::MARSHAL);
  first->next(nullptr);
}

TEST_CASE("a custom value has no components, since its TypeCode does not describe its state") {
  const auto dyn = made_as<DynValue>(TypeCodeConstant(&custom_type));
  CHECK(dyn->is_null());
  CHECK(dyn->component_count() == 0);
  CHECK_THROWS_AS(dyn->set_to_value(), CORBA::NO_IMPLEMENT);
  CHECK_THROWS_AS(dyn->set_members({}), CORBA::NO_IMPLEMENT);
}

TEST_CASE("a type that names itself as its base raises BAD_TYPECODE") {
  static TypeNode endless{.kind = TypeKind::tk_value, .id = "IDL:Endless:1.0", .name = "Endless"};
  endless.content = &endless;
  const auto dyn = made_as<DynValue>(TypeCodeConstant(&endless));
  CHECK_THROWS_AS(dyn->set_to_value(), CORBA::BAD_TYPECODE);
}

TEST_CASE("a boxed value begins as null and is set by its contents") {
  const auto dyn = made_as<DynValueBox>(TypeCodeConstant(&nodes::box));
  CHECK(dyn->is_null());
  CHECK_THROWS_AS((void)dyn->get_boxed_value(), DynAny::InvalidValue);
  CHECK_THROWS_AS((void)dyn->get_boxed_value_as_dyn_any(), DynAny::InvalidValue);
  dyn->set_boxed_value(any_of(std::string("inside")));
  CHECK(dyn->component_count() == 1);
  CHECK(dyn->get_string() == "inside");
  CHECK_THROWS_AS(dyn->set_boxed_value(any_of(std::int32_t{1})), DynAny::TypeMismatch);
  const auto again = as<DynValueBox>(made(dyn->to_any()));
  CHECK(again->get_boxed_value() == any_of(std::string("inside")));
  again->get_boxed_value_as_dyn_any()->insert_string("changed");
  CHECK(again->get_boxed_value() == any_of(std::string("changed")));
  dyn->set_boxed_value_as_dyn_any(again->get_boxed_value_as_dyn_any());
  CHECK(dyn->equal(again));
  dyn->set_to_null();
  CHECK_FALSE(dyn->equal(again));
  dyn->set_to_value();
  CHECK(dyn->get_string().empty());
}
