// The factory of DynAnys: types without DynAnys, hostile types, limits.
#include "cdr/typecode_nodes.h"
#include "dynamic/dyn_any_support.h"
#include "support/allocations.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace perigee::test;
namespace cdr = perigee::cdr;
namespace nodes = perigee::cdr::test;
using cdr::TypeKind;
using cdr::TypeMember;
using cdr::TypeNode;
using CORBA::TypeCodeConstant;
using DynamicAny::DynAny;
using DynamicAny::DynAnyFactory;
using DynamicAny::DynSequence;

extern const TypeNode self;
constexpr TypeMember self_members[] = {{"self", &self}};
constexpr TypeNode self{
    .kind = TypeKind::tk_struct, .id = "IDL:Self:1.0", .name = "Self", .members = self_members};

constexpr TypeNode nothing{.kind = TypeKind::tk_struct, .id = "IDL:None:1.0", .name = "None"};
constexpr TypeNode no_enumerators{.kind = TypeKind::tk_enum, .id = "IDL:E:1.0", .name = "E"};

/// Checks that the creation of the default value is refused, and allocates little memory before.
template <typename Exception>
void check_refused_early(const TypeNode& type) {
  const auto allocated =
      allocations_of([&type] { CHECK_THROWS_AS((void)made(TypeCodeConstant(&type)), Exception); });
  CHECK(allocated.octets < 100'000);
}

/// A struct of two members, each a struct of two members, and so on.
struct Doubling {
  explicit Doubling(std::size_t levels) : members(levels), types(levels) {
    for (std::size_t level = 0; level != levels; ++level) {
      const TypeNode* inner = level == 0 ? &nothing : &types[level - 1];
      members[level] = {{{"a", inner}, {"b", inner}}};
      types[level] = {.kind = TypeKind::tk_struct, .name = "D", .members = members[level]};
    }
  }
  std::vector<std::array<TypeMember, 2>> members;
  std::vector<TypeNode> types;
};

}  // namespace

TEST_CASE("types without DynAnys raise InconsistentTypeCode") {
  for (const TypeNode* type :
       {&nodes::native, &cdr::basic_node<TypeKind::tk_Principal>, &no_enumerators})
    CHECK_THROWS_AS((void)made(TypeCodeConstant(type)), DynAnyFactory::InconsistentTypeCode);
  const TypeRef holder = struct_of("Holder", {{"value", TypeCodeConstant(&nodes::native)}});
  CHECK_THROWS_AS((void)made(holder), DynAnyFactory::InconsistentTypeCode);
  CHECK_THROWS_AS((void)dyn_anys().create_dyn_any_from_type_code(nullptr), CORBA::BAD_PARAM);
}

TEST_CASE("the text of InconsistentTypeCode names the kind and the type") {
  try {
    (void)made(TypeCodeConstant(&nodes::native));
    FAIL("no exception");
  } catch (const DynAnyFactory::InconsistentTypeCode& error) {
    CHECK(std::string(error.what()) ==
          "IDL:omg.org/DynamicAny/DynAnyFactory/InconsistentTypeCode:1.0: there are no DynAnys of "
          "kind tk_native: 'native X'");
  }
}

TEST_CASE("a type that contains itself raises InconsistentTypeCode") {
  check_refused_early<DynAnyFactory::InconsistentTypeCode>(self);
}

TEST_CASE("huge default values are refused before memory is allocated") {
  static constexpr TypeNode octets{.kind = TypeKind::tk_array,
                                   .bound = 0xffffffff,
                                   .content = &cdr::basic_node<TypeKind::tk_octet>};
  static constexpr TypeNode empty{
      .kind = TypeKind::tk_array, .bound = 0xffffffff, .content = &nothing};
  static constexpr TypeNode rows{.kind = TypeKind::tk_array, .bound = 0xffff, .content = &empty};
  check_refused_early<CORBA::IMP_LIMIT>(octets);
  check_refused_early<CORBA::IMP_LIMIT>(empty);
  check_refused_early<CORBA::IMP_LIMIT>(rows);
  const Doubling doubling(60);
  check_refused_early<CORBA::IMP_LIMIT>(doubling.types.back());
}

TEST_CASE("the components of a large sequence are refused, but get_octet_seq reads its elements") {
  const std::vector<std::uint8_t> octets((1 << 20) + 1, 7);
  const DynRef dyn = made(any_of(octets));
  CHECK(dyn->component_count() == octets.size());
  CHECK(dyn->get_octet_seq() == octets);
  CHECK_THROWS_AS((void)dyn->current_component(), CORBA::IMP_LIMIT);
  CHECK_THROWS_AS((void)as<DynSequence>(dyn)->set_length((1 << 20) + 2), CORBA::IMP_LIMIT);
}

TEST_CASE("the components of 262,145 strings are refused") {
  const std::vector<std::string> texts(262'145);
  const DynRef dyn = made(any_of(texts));
  CHECK(dyn->component_count() == texts.size());
  CHECK_THROWS_AS((void)dyn->current_component(), CORBA::IMP_LIMIT);
}

TEST_CASE("a DynAny has at most 128 levels") {
  DynRef node = made(TypeCodeConstant(&nodes::recursive));
  const DynRef root = node;
  const auto deepen = [&node] {
    for (int level = 0; level != 129; ++level) {
      if (const auto list = as<DynSequence>(node); list && list->get_length() == 0)
        list->set_length(1);
      node = node->current_component();
    }
  };
  CHECK_THROWS_AS(deepen(), CORBA::IMP_LIMIT);
  CHECK_THROWS_AS((void)root->to_any(), CORBA::IMP_LIMIT);
}

TEST_CASE("several anys become DynAnys, and several DynAnys become anys") {
  const DynamicAny::AnySeq values{any_of(std::int32_t{1}), any_of(std::string("two"))};
  const DynamicAny::DynAnySeq all = dyn_anys().create_multiple_dyn_anys(values, false);
  REQUIRE(all.size() == 2);
  all[0]->insert_long(3);
  const DynamicAny::AnySeq changed = dyn_anys().create_multiple_anys(all);
  CHECK(changed == DynamicAny::AnySeq{any_of(std::int32_t{3}), values[1]});
  CHECK_THROWS_AS((void)dyn_anys().create_multiple_anys({nullptr}), CORBA::BAD_PARAM);
}

TEST_CASE("each component of a default value has the default value of its type") {
  const DynRef dyn = made(TypeCodeConstant(&nodes::everything));
  const CORBA::Any any = dyn->to_any();
  CHECK(made(any)->equal(dyn));
  CHECK(dyn->component_count() == nodes::everything.members.size());
  do CHECK(dyn->current_component()->equal(made(dyn->current_component()->type())));
  while (dyn->next());
}

TEST_CASE("a component that cannot show the new value ends, and the value is still replaced") {
  const TypeRef octets = types().create_sequence_tc(0, CORBA::_tc_octet);
  const TypeRef holder = struct_of("Octets", {{"all", octets}});
  const DynRef dyn = made(holder);
  const auto all = as<DynSequence>(dyn->current_component());
  all->set_length(1);
  const DynRef first = all->current_component();
  const std::vector<std::uint8_t> many((1 << 20) + 1, 7);
  const DynRef large = made(holder);
  large->insert_octet_seq(many);
  dyn->assign(large);
  CHECK(dyn->get_octet_seq() == many);
  CHECK_THROWS_AS((void)all->get_length(), CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS((void)first->get_octet(), CORBA::OBJECT_NOT_EXIST);
}

TEST_CASE("an array of exceptions with long ids has no default value, and little memory is used") {
  const std::string id(60'000, 'x');
  const TypeNode exception{.kind = TypeKind::tk_except, .id = id, .name = "E"};
  const TypeNode array{.kind = TypeKind::tk_array, .bound = 1'000'000, .content = &exception};
  const auto allocated = allocations_of(
      [&] { CHECK_THROWS_AS((void)made(TypeCodeConstant(&array)), CORBA::IMP_LIMIT); });
  CHECK(allocated.octets < 40'000'000);
}

TEST_CASE("the labels of a union in an array are searched once for its default value") {
  std::vector<TypeMember> members{{"other", &cdr::basic_node<TypeKind::tk_octet>, 0}};
  for (std::int64_t label = 0; label != 16'000; ++label)
    members.push_back({"member", &cdr::basic_node<TypeKind::tk_octet>, label});
  const TypeNode choice{.kind = TypeKind::tk_union,
                        .default_index = 0,
                        .id = "IDL:U:1.0",
                        .name = "U",
                        .content = &cdr::basic_node<TypeKind::tk_long>,
                        .members = members};
  const auto allocated_for = [&choice](std::uint32_t bound) {
    const TypeNode array{.kind = TypeKind::tk_array, .bound = bound, .content = &choice};
    return allocations_of([&array] { (void)made(TypeCodeConstant(&array)); }).octets;
  };
  CHECK(allocated_for(1000) < 2 * allocated_for(1));
}
