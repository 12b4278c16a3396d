// DynAnys whose values are replaced while the program holds their components.
#include "dynamic/dyn_any_support.h"
#include "dynamic/values/value_parts.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace perigee::test;
using DynamicAny::DynAny;
using DynamicAny::DynEnum;
using DynamicAny::DynSequence;
using DynamicAny::DynStruct;
using DynamicAny::DynUnion;
using DynamicAny::DynValue;
using DynamicAny::DynValueBox;
using DynamicAny::DynValueCommon;

/// valuetype Number { public long n; };
TypeRef number_type() {
  CORBA::ValueMemberSeq members;
  members.emplace_back("n", "", "", "", CORBA::_tc_long, nullptr, CORBA::PUBLIC_MEMBER);
  return types().create_value_tc("IDL:test/Number:1.0", "Number", CORBA::VM_NONE, nullptr, members);
}

/// valuetype Boxed long;
TypeRef box_type() {
  return types().create_value_box_tc("IDL:test/Boxed:1.0", "Boxed", CORBA::_tc_long);
}

/// A value with the number inside.
CORBA::Any value_of(const TypeRef& type, std::int32_t number) {
  const auto dyn = made_as<DynValueCommon>(type);
  dyn->set_to_value();
  dyn->insert_long(number);
  return dyn->to_any();
}

CORBA::object_reference<CORBA::TypeCode> union_of(const TypeRef& first, const TypeRef& second) {
  CORBA::UnionMemberSeq members;
  members.emplace_back("first", any_of(std::int32_t{1}), first);
  members.emplace_back("second", any_of(std::int32_t{2}), second);
  return types().create_union_tc("IDL:test/Two:1.0", "Two", CORBA::_tc_long, members);
}

/// A union of the type, with its second member.
DynUnion::_ref_type second_of(const TypeRef& type) {
  const auto dyn = made_as<DynUnion>(type);
  dyn->set_discriminator(made(any_of(std::int32_t{2})));
  return dyn;
}

void check_null(const DynRef& dyn) {
  CHECK(as<DynValueCommon>(dyn)->is_null());
  CHECK(dyn->component_count() == 0);
  CHECK_FALSE(dyn->current_component());
  CHECK_FALSE(dyn->get_val());
  CHECK(as<DynValueCommon>(made(dyn->to_any()))->is_null());
}

void check_number(const DynRef& dyn, std::int32_t number) {
  CHECK_FALSE(as<DynValueCommon>(dyn)->is_null());
  REQUIRE(dyn->component_count() == 1);
  CHECK(dyn->get_long() == number);
  CHECK(dyn->current_component()->get_long() == number);
  CHECK(made(dyn->to_any())->get_long() == number);
  CHECK(dyn->equal(dyn->copy()));
}

/// A value inside a sequence, and the number that the value should contain: -1 for null.
class Model final {
 public:
  explicit Model(const TypeRef& type)
      : type_(type),
        parent_(made_as<DynSequence>(types().create_sequence_tc(0, type))),
        null_(made(type)->to_any()) {
    parent_->set_elements({null_});
    value_ = parent_->current_component();
  }

  void step(std::minstd_rand& random) {
    const auto number = static_cast<std::int32_t>(random() % 100);
    const bool is_null = random() % 2 == 0;
    const CORBA::Any next = is_null ? null_ : value_of(type_, number);
    if (random() % 3 != 0) held_.push_back(value_->current_component());
    if (random() % 2 == 0) (void)parent_->to_any();
    replace(random() % 6, next);
    expected_ = is_null ? -1 : number;
    check();
    if (!is_null && random() % 2 == 0) {
      value_->insert_long(++expected_);
      check();
    }
  }

 private:
  void replace(std::uint64_t way, const CORBA::Any& next) {
    const DynRef other = made(next);
    switch (way) {
      case 0:
        return value_->assign(other);
      case 1:
        return value_->from_any(next);
      case 2:
        return value_->insert_val(other->get_val());
      case 3:
        return parent_->insert_val(other->get_val());
      case 4:
        return parent_->set_elements({next});
      default: {
        const DynRef sequence = parent_->copy();
        as<DynSequence>(sequence)->set_elements({next});
        return parent_->assign(sequence);
      }
    }
  }

  void check() {
    REQUIRE(parent_->component_count() == 1);
    REQUIRE(parent_->current_component() == value_);
    const DynRef copy = as<DynSequence>(made(parent_->to_any()))->current_component();
    if (expected_ < 0) {
      check_null(value_);
      check_null(copy);
    } else {
      check_number(value_, expected_);
      check_number(copy, expected_);
    }
  }

  TypeRef type_;
  DynSequence::_ref_type parent_;
  CORBA::Any null_;
  DynRef value_;
  std::vector<DynRef> held_;
  std::int32_t expected_ = -1;
};

}  // namespace

TEST_CASE("a value with held components becomes null and has no components") {
  for (const TypeRef& type : {number_type(), box_type()}) {
    const DynRef dyn = made(value_of(type, 5));
    const DynRef held = dyn->current_component();
    dyn->assign(made(type));
    check_null(dyn);
    CHECK_THROWS_AS((void)held->get_long(), CORBA::OBJECT_NOT_EXIST);
    dyn->from_any(value_of(type, 6));
    check_number(dyn, 6);
    const DynRef again = dyn->current_component();
    dyn->insert_val(nullptr);
    check_null(dyn);
    CHECK_THROWS_AS((void)again->get_long(), CORBA::OBJECT_NOT_EXIST);
  }
}

TEST_CASE("values with held components show each new value, null or not") {
  for (const TypeRef& type : {number_type(), box_type()}) {
    std::minstd_rand random(21);
    Model model(type);
    for (int step = 0; step != 300; ++step) model.step(random);
  }
}

TEST_CASE("a valuetype without state members is not null after set_to_value or set_members") {
  const TypeRef type = types().create_value_tc("IDL:test/Empty:1.0", "Empty", CORBA::VM_NONE,
                                               nullptr, CORBA::ValueMemberSeq());
  const auto check_set = [&](const std::function<void(DynValue&)>& set) {
    const auto dyn = made_as<DynValue>(type);
    set(*dyn);
    CHECK_FALSE(dyn->is_null());
    CHECK(dyn->component_count() == 0);
    CHECK_FALSE(as<DynValue>(made(dyn->to_any()))->is_null());
    CHECK_FALSE(dyn->equal(made(type)));
    dyn->set_to_null();
    CHECK(dyn->is_null());
  };
  check_set([](DynValue& value) { value.set_to_value(); });
  check_set([](DynValue& value) { value.set_members({}); });
}

TEST_CASE("a held member of a union ends if the new member has its type id but other enumerators") {
  const auto small = types().create_enum_tc("IDL:test/X:1.0", "X", {"a"});
  const auto large = types().create_enum_tc("IDL:test/X:1.0", "X", {"a", "b", "c"});
  const TypeRef type = union_of(small, large);
  const auto dyn = made_as<DynUnion>(type);
  const auto held = as<DynEnum>(dyn->member());
  const auto other = second_of(type);
  as<DynEnum>(other->member())->set_as_ulong(2);
  dyn->assign(other);
  CHECK_THROWS_AS((void)held->get_as_string(), CORBA::OBJECT_NOT_EXIST);
  CHECK(as<DynEnum>(dyn->member())->get_as_string() == "c");
}

TEST_CASE("a held member of a union ends if the new member has its type id but other members") {
  CORBA::StructMemberSeq members;
  members.emplace_back("a", CORBA::_tc_long);
  const auto small = types().create_struct_tc("IDL:test/X:1.0", "X", members);
  for (int index = 0; index != 100; ++index)
    members.emplace_back("b" + std::to_string(index), CORBA::_tc_long);
  const auto large = types().create_struct_tc("IDL:test/X:1.0", "X", members);
  const TypeRef type = union_of(large, small);
  const auto dyn = made_as<DynUnion>(type);
  const DynRef held = dyn->member();
  dyn->assign(second_of(type));
  CHECK_THROWS_AS((void)held->component_count(), CORBA::OBJECT_NOT_EXIST);
  CHECK(dyn->member()->component_count() == 1);
}

TEST_CASE("a held member of a union ends if from_any selects another member of the same type") {
  const TypeRef metres = types().create_alias_tc("IDL:test/Metres:1.0", "Metres", CORBA::_tc_long);
  for (const TypeRef& first : {metres, TypeRef(CORBA::_tc_long)}) {
    const TypeRef type = union_of(first, CORBA::_tc_long);
    const auto dyn = made_as<DynUnion>(type);
    const DynRef held = dyn->member();
    dyn->from_any(second_of(type)->to_any());
    CHECK_THROWS_AS((void)held->get_long(), CORBA::OBJECT_NOT_EXIST);
    CHECK(dyn->member_name() == "second");
    CHECK(dyn->member()->type()->kind() == CORBA::TCKind::tk_long);
  }
}

TEST_CASE(
    "assigning a value that does not fit raises TypeMismatch, also if the type id is the same") {
  const auto small = types().create_enum_tc("IDL:test/X:1.0", "X", {"a"});
  const auto large = types().create_enum_tc("IDL:test/X:1.0", "X", {"a", "b", "c"});
  const auto dyn = made_as<DynEnum>(small);
  const auto other = made_as<DynEnum>(large);
  dyn->assign(other);
  other->set_as_ulong(2);
  CHECK_THROWS_AS(dyn->assign(other), DynAny::TypeMismatch);
  CHECK(dyn->get_as_string() == "a");
}

TEST_CASE(
    "from_any ends held components and keeps a value whose type the TypeCode does not describe") {
  const TypeRef type = number_type();
  const auto dyn = as<DynValue>(made(value_of(type, 5)));
  const DynRef held = dyn->current_component();
  const auto foreign = made(value_of(box_type(), 1))->get_val();
  dyn->from_any(perigee::dynamic::kept_value({type->_node(), type->_owner()}, foreign));
  CHECK_THROWS_AS((void)held->get_long(), CORBA::OBJECT_NOT_EXIST);
  CHECK_FALSE(dyn->is_null());
  CHECK(dyn->component_count() == 0);
  CHECK(dyn->get_val() == foreign);
}
