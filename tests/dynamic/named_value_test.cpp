// Lists of arguments for dynamic calls.
#include <perigee/dynamic/named_value.h>
#include <perigee/orb/any_operators.h>

#include <doctest/doctest.h>

namespace {

CORBA::Any number(std::int32_t value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

TEST_CASE("a list keeps its items in the order in which they were added") {
  CORBA::NVList list;
  list.add_value("first", number(1), CORBA::ARG_IN);
  list.add_item("second", CORBA::ARG_OUT);
  list.add(CORBA::ARG_INOUT).value(number(3));
  REQUIRE(list.count() == 3);
  CHECK(list.item(0).name() == "first");
  CHECK(list.item(0).value() == number(1));
  CHECK(list.item(1).flags() == CORBA::ARG_OUT);
  CHECK_FALSE(list.item(1).value().has_value());
  CHECK(list.item(2).value() == number(3));
  list.remove(0);
  CHECK(list.count() == 2);
  CHECK(list.item(0).name() == "second");
}

TEST_CASE("an index beyond the items raises Bounds") {
  CORBA::NVList list;
  list.add(CORBA::ARG_IN);
  CHECK_THROWS_AS((void)list.item(1), CORBA::Bounds);
  CHECK_THROWS_AS((void)std::as_const(list).item(1), CORBA::Bounds);
  CHECK_THROWS_AS(list.remove(1), CORBA::Bounds);
}

TEST_CASE("a flag that is not a direction raises INV_FLAG") {
  CORBA::NVList list;
  CHECK_THROWS_AS(list.add(0), CORBA::INV_FLAG);
  CHECK_THROWS_AS(list.add(4), CORBA::INV_FLAG);
}

}  // namespace
