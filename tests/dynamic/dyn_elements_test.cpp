// DynSequence and DynArray, and insertion and extraction of whole sequences.
#include "dynamic/dyn_any_support.h"
#include "support/allocations.h"

#include <doctest/doctest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace perigee::test;
using DynamicAny::AnySeq;
using DynamicAny::DynAny;
using DynamicAny::DynArray;
using DynamicAny::DynSequence;

DynSequence::_ref_type numbers(const std::vector<std::int32_t>& values, std::uint32_t bound = 0) {
  const auto dyn = made_as<DynSequence>(types().create_sequence_tc(bound, CORBA::_tc_long));
  dyn->insert_long_seq(values);
  return dyn;
}

DynArray::_ref_type array_of(std::uint32_t length, const TypeRef& element) {
  return made_as<DynArray>(types().create_array_tc(length, element));
}

/// The current position, found without a change.
std::int32_t position(const DynRef& dyn) {
  const DynRef current = dyn->current_component();
  if (!current) return -1;
  const auto all = as<DynSequence>(dyn)->get_elements_as_dyn_any();
  for (std::size_t index = 0; index != all.size(); ++index)
    if (all[index] == current) return static_cast<std::int32_t>(index);
  return -2;
}

}  // namespace

TEST_CASE("a sequence begins empty, without a position") {
  const auto dyn = made_as<DynSequence>(types().create_sequence_tc(0, CORBA::_tc_long));
  CHECK(dyn->get_length() == 0);
  CHECK(dyn->component_count() == 0);
  CHECK(position(dyn) == -1);
  CHECK_FALSE(dyn->next());
  CHECK_THROWS_AS(dyn->insert_long(1), DynAny::InvalidValue);
}

TEST_CASE("set_length adds default elements, and moves only a position of -1") {
  const auto dyn = numbers({1});
  CHECK(position(dyn) == 0);
  dyn->set_length(3);
  CHECK(position(dyn) == 0);
  CHECK(dyn->get_long_seq() == std::vector<std::int32_t>{1, 0, 0});
  dyn->seek(-1);
  dyn->set_length(4);
  CHECK(position(dyn) == 3);
}

TEST_CASE("set_length removes elements, and the position stays while its element stays") {
  const auto dyn = numbers({1, 2, 3, 4});
  dyn->seek(1);
  const DynRef last = dyn->get_elements_as_dyn_any().back();
  dyn->set_length(3);
  CHECK(position(dyn) == 1);
  CHECK_THROWS_AS((void)last->get_long(), CORBA::OBJECT_NOT_EXIST);
  dyn->set_length(1);
  CHECK(position(dyn) == -1);
  CHECK(dyn->get_elements() == AnySeq{any_of(std::int32_t{1})});
  dyn->seek(-1);
  dyn->set_length(0);
  CHECK(position(dyn) == -1);
  CHECK(made(dyn->to_any())->component_count() == 0);
}

TEST_CASE("a bounded sequence refuses more elements than its bound") {
  const auto dyn = numbers({1, 2}, 2);
  CHECK_THROWS_AS(dyn->set_length(3), DynAny::InvalidValue);
  CHECK_THROWS_AS(dyn->insert_long_seq({1, 2, 3}), DynAny::InvalidValue);
  const CORBA::Any one = any_of(std::int32_t{1});
  CHECK_THROWS_AS(dyn->set_elements({one, one, one}), DynAny::InvalidValue);
  CHECK(dyn->get_length() == 2);
}

TEST_CASE("set_elements replaces all elements and sets the position") {
  const auto dyn = numbers({1, 2, 3});
  dyn->seek(2);
  dyn->set_elements({any_of(std::int32_t{9})});
  CHECK(position(dyn) == 0);
  CHECK(dyn->get_long() == 9);
  dyn->set_elements_as_dyn_any({made(any_of(std::int32_t{5})), made(any_of(std::int32_t{6}))});
  CHECK(dyn->get_long_seq() == std::vector<std::int32_t>{5, 6});
  CHECK_THROWS_AS(dyn->set_elements({any_of(1.0)}), DynAny::TypeMismatch);
  CHECK_THROWS_AS(dyn->set_elements_as_dyn_any({nullptr}), CORBA::BAD_PARAM);
  dyn->set_elements({});
  CHECK(position(dyn) == -1);
}

TEST_CASE("an element is changed in place") {
  const auto dyn = numbers({1, 2, 3});
  dyn->seek(1);
  dyn->insert_long(20);
  dyn->get_elements_as_dyn_any()[2]->insert_long(30);
  CHECK(dyn->get_long_seq() == std::vector<std::int32_t>{1, 20, 30});
  std::vector<std::int32_t> extracted;
  CHECK((dyn->to_any() >>= extracted));
  CHECK(extracted == std::vector<std::int32_t>{1, 20, 30});
}

TEST_CASE("an array has all its elements from the beginning") {
  const auto dyn = array_of(3, CORBA::_tc_string);
  CHECK(dyn->component_count() == 3);
  CHECK(dyn->get_string().empty());
  dyn->seek(2);
  dyn->set_elements({any_of(std::string("a")), any_of(std::string("b")), any_of(std::string("c"))});
  CHECK(dyn->get_string() == "a");
  CHECK(dyn->get_elements()[2] == any_of(std::string("c")));
  CHECK(dyn->get_elements_as_dyn_any()[1]->get_string() == "b");
  CHECK_THROWS_AS(dyn->set_elements({}), DynAny::InvalidValue);
  const CORBA::Any one = any_of(std::int32_t{1});
  CHECK_THROWS_AS(dyn->set_elements({one, one, one}), DynAny::TypeMismatch);
  CHECK(made(dyn->to_any())->equal(dyn));
}

TEST_CASE("an array of two dimensions has arrays as elements") {
  const auto dyn = array_of(2, types().create_array_tc(3, CORBA::_tc_short));
  dyn->seek(1);
  const auto row = as<DynArray>(dyn->current_component());
  REQUIRE(row);
  row->insert_short_seq({1, 2, 3});
  CHECK_THROWS_AS(row->insert_short_seq({1, 2}), DynAny::InvalidValue);
  const DynRef again = made(dyn->to_any());
  CHECK(again->get_short_seq() == std::vector<std::int16_t>{0, 0, 0});
  again->seek(1);
  CHECK(again->get_short_seq() == std::vector<std::int16_t>{1, 2, 3});
}

#define CHECK_ELEMENTS(NAME, TYPE_CODE, ...)                                                  \
  do {                                                                                        \
    const decltype(made(CORBA::Any())->get_##NAME##_seq()) values{__VA_ARGS__};               \
    const TypeRef sequence = types().create_sequence_tc(0, TYPE_CODE);                        \
    const DynRef dyn = made(sequence);                                                        \
    dyn->insert_##NAME##_seq(values);                                                         \
    CHECK(dyn->get_##NAME##_seq() == values);                                                 \
    CHECK(dyn->component_count() == values.size());                                           \
    CHECK(made(any_of(values))->equal(dyn));                                                  \
    const DynRef holder = made(struct_of("Holder", {{"all", sequence}}));                     \
    holder->insert_##NAME##_seq(values);                                                      \
    CHECK(made(holder->to_any())->get_##NAME##_seq() == values);                              \
    CHECK_THROWS_AS(made(CORBA::_tc_any)->insert_##NAME##_seq(values), DynAny::TypeMismatch); \
  } while (false)

TEST_CASE("whole sequences of each basic type are inserted and read") {
  CHECK_ELEMENTS(boolean, CORBA::_tc_boolean, true, false);
  CHECK_ELEMENTS(octet, CORBA::_tc_octet, 1, 255);
  CHECK_ELEMENTS(char, CORBA::_tc_char, 'a', 'b');
  CHECK_ELEMENTS(wchar, CORBA::_tc_wchar, L'a', L'\u65e5');
  CHECK_ELEMENTS(short, CORBA::_tc_short, -1, 2);
  CHECK_ELEMENTS(ushort, CORBA::_tc_ushort, 1, 65535);
  CHECK_ELEMENTS(long, CORBA::_tc_long, -1, 2);
  CHECK_ELEMENTS(ulong, CORBA::_tc_ulong, 1, 4000000000u);
  CHECK_ELEMENTS(longlong, CORBA::_tc_longlong, -1, 2);
  CHECK_ELEMENTS(ulonglong, CORBA::_tc_ulonglong, 1, 2);
  CHECK_ELEMENTS(float, CORBA::_tc_float, 1.5f, 2.5f);
  CHECK_ELEMENTS(double, CORBA::_tc_double, 1.5, 2.5);
  CHECK_ELEMENTS(longdouble, CORBA::_tc_longdouble, 1.5L, 2.5L);
}

TEST_CASE("an inserted sequence sets its own position") {
  const auto dyn = numbers({1, 2, 3});
  dyn->seek(2);
  dyn->insert_long_seq({7, 8});
  CHECK(position(dyn) == 0);
  dyn->insert_long_seq({});
  CHECK(position(dyn) == -1);
  CHECK_THROWS_AS(dyn->insert_short_seq({1}), DynAny::InvalidValue);  // no current component
}

TEST_CASE("a recursive type is built level by level") {
  CORBA::StructMemberSeq members;
  const TypeRef inner = types().create_recursive_tc("IDL:test/Tree:1.0");
  members.emplace_back("leaves", types().create_sequence_tc(0, inner));
  const TypeRef tree = types().create_struct_tc("IDL:test/Tree:1.0", "Tree", members);
  const DynRef root = made(tree);
  DynRef node = root;
  for (int level = 0; level != 20; ++level) {
    const auto leaves = as<DynSequence>(node->current_component());
    leaves->set_length(2);
    node = leaves->current_component();
  }
  CHECK(made(root->to_any())->equal(root));
  CHECK(root->copy()->to_any() == root->to_any());
}

TEST_CASE(
    "a walk over the elements of a sequence keeps no memory for components that it has left") {
  const TypeRef element = struct_of("Element", {{"a", CORBA::_tc_long}, {"b", CORBA::_tc_string}});
  const auto dyn = made_as<DynSequence>(types().create_sequence_tc(0, element));
  dyn->set_length(1000);
  const DynRef first = dyn->current_component();
  const auto walk = [&dyn] {
    dyn->rewind();
    do {
      const DynRef component = dyn->current_component();
      component->rewind();
      (void)component->get_long();
      component->next();
      (void)component->get_string();
    } while (dyn->next());
  };
  const auto allocated = allocations_of(walk);
  CHECK(allocated.count - allocated.freed < 100);
  dyn->rewind();
  CHECK(dyn->current_component() == first);
}

TEST_CASE("changes of components and references inside them stay when the position leaves them") {
  const TypeRef element = struct_of("Element", {{"a", CORBA::_tc_long}, {"b", CORBA::_tc_string}});
  const auto dyn = made_as<DynSequence>(types().create_sequence_tc(0, element));
  dyn->set_length(3);
  const DynRef inside = dyn->current_component()->current_component();
  dyn->next();
  dyn->current_component()->insert_long(2);
  dyn->next();
  dyn->seek(-1);
  inside->insert_long(1);
  CHECK(dyn->get_elements()[0].type()->equivalent(element));
  const DynRef again = made(dyn->to_any());
  CHECK(again->current_component()->get_long() == 1);
  again->next();
  CHECK(again->current_component()->get_long() == 2);
  dyn->rewind();
  CHECK(dyn->current_component()->current_component() == inside);
}

TEST_CASE("a large value inside 60 sequences is not kept again for each level") {
  TypeRef type = types().create_sequence_tc(0, CORBA::_tc_octet);
  const std::vector<std::uint8_t> octets(100'000, 7);
  CORBA::Any value = any_of(octets);
  for (int level = 0; level != 60; ++level) {
    type = types().create_sequence_tc(0, type);
    const auto dyn = made_as<DynSequence>(type);
    dyn->set_elements({value});
    value = dyn->to_any();
  }
  const DynRef root = made(value);
  const std::size_t before = mallinfo2().uordblks;
  DynRef last = root;
  for (int level = 0; level != 60; ++level) last = last->current_component();
  CHECK(mallinfo2().uordblks - before < 1'000'000);
  CHECK(last->get_octet_seq() == octets);
  CHECK(root->current_component()->current_component()->copy()->component_count() == 1);
  CHECK(root->to_any() == value);
}
