// DynStruct, and what all DynAnys with components have in common.
#include "dynamic/dyn_any_support.h"

#include <doctest/doctest.h>

namespace {

using namespace perigee::test;
using DynamicAny::DynAny;
using DynamicAny::DynStruct;

TypeRef point() { return struct_of("Point", {{"x", CORBA::_tc_long}, {"y", CORBA::_tc_long}}); }

TEST_CASE("a struct is composed member by member") {
  const DynRef dyn = made(point());
  dyn->insert_long(3);
  CHECK(dyn->next());
  dyn->insert_long(4);
  CHECK_FALSE(dyn->next());
  const DynRef again = made(dyn->to_any());
  CHECK(again->get_long() == 3);
  CHECK(again->seek(1));
  CHECK(again->get_long() == 4);
  CHECK(dyn->equal(again));
}

}  // namespace
