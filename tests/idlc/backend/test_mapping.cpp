// The application's view of generated types.
#include "constantsC.h"
#include "exceptionsC.h"
#include "inheritanceC.h"
#include "modulesC.h"
#include "referencesC.h"
#include "stockS.h"
#include "structsC.h"

#include <doctest/doctest.h>

#include <limits>
#include <type_traits>

TEST_CASE("exceptions can be moved without throwing") {
  static_assert(std::is_nothrow_move_constructible_v<Faults::Detailed>);
  static_assert(std::is_nothrow_move_assignable_v<Faults::Detailed>);
  Faults::Detailed source("what", 7, {"a", "b"});
  const Faults::Detailed moved(std::move(source));
  CHECK(moved.causes().size() == 2);
}

TEST_CASE("constants have the values of the IDL") {
  static_assert(answer == 42);
  static_assert(Limits::short_min == -32768);
  static_assert(Limits::long_min == std::numeric_limits<int32_t>::min());
  static_assert(Limits::ulong_max == std::numeric_limits<uint32_t>::max());
  static_assert(Limits::longlong_min == std::numeric_limits<int64_t>::min());
  static_assert(Limits::ulonglong_max == std::numeric_limits<uint64_t>::max());
  static_assert(Limits::quote == '\'' && Limits::newline == '\n');
  static_assert(Limits::third == 0.25F && Limits::tenth == 0.1 && Limits::large == 1e300);
  static_assert(Limits::standard == Limits::Level::high);
  static_assert(Limits::sum == 169);
  static_assert(Limits::wide_letter == L'\u00e9');
  CHECK(Limits::wide_text == L"\u20ac and \"quotes\" A");
  static_assert(Limits::Holder::size_max == 1024);
  CHECK(Limits::greeting == "say \"hello\"\\\n1");
  CHECK(Limits::Holder::name == "holder");
}

TEST_CASE("a struct's members are value initialised") {
  const Shapes::Mixed mixed;
  CHECK_FALSE(mixed.flag());
  CHECK(mixed.large() == 0);
  CHECK(mixed.name().empty());
  CHECK(mixed.scale() == Shapes::Unit::metre);
}

TEST_CASE("a struct's members are read, written in place and replaced") {
  Shapes::Node node("a", {});
  node.label("b");
  CHECK(node.label() == "b");
  node.label() += "c";
  CHECK(node.label() == "bc");
  node.children().emplace_back("child", Shapes::Nodes());
  CHECK(node.children().front().label() == "child");
  Shapes::Sizes sizes(1, 2);
  sizes.size() = 3;
  sizes.size_(4);
  CHECK(sizes == Shapes::Sizes(3, 4));
}

TEST_CASE("members are visited in order with their IDL names, and may be changed if not const") {
  static_assert(perigee::stub::Visitable<Shapes::Point> &&
                perigee::stub::Visitable<const Faults::Detailed>);
  static_assert(!perigee::stub::Visitable<std::string>);
  Shapes::Point point(1, 2);
  Shapes::Point::_visit(point, [](std::string_view name, double& member) {
    if (name == "y") member = 5;
  });
  std::string visited(Shapes::Point::_type_name);
  const Shapes::Point& constant = point;
  Shapes::Point::_visit(constant, [&](std::string_view name, const double& member) {
    visited.append(" ").append(name).append("=").append(std::to_string(static_cast<int>(member)));
  });
  CHECK(visited == "Shapes::Point x=1 y=5");
}

TEST_CASE("enumerators have names") {
  CHECK(_enumerator_name(Shapes::Unit::foot) == "foot");
  CHECK(_enumerator_name(static_cast<Shapes::Unit>(9)).empty());
}

TEST_CASE("structs and exceptions swap") {
  Shapes::Sizes first(1, 2);
  Shapes::Sizes second(3, 4);
  swap(first, second);
  CHECK(first == Shapes::Sizes(3, 4));
  Global_Trouble one(1);
  Global_Trouble two(2);
  one.swap(two);
  CHECK(one == Global_Trouble(2));
}

TEST_CASE("an exception knows its name and identifier, and throws a copy of itself") {
  const Faults::Detailed detailed("reason", 7, {"cause"});
  const CORBA::UserException& base = detailed;
  CHECK(base._name() == std::string("Detailed"));
  CHECK(base._rep_id() == std::string("IDL:Faults/Detailed:1.0"));
  CHECK(base.what() ==
        std::string(R"(IDL:Faults/Detailed:1.0 {what="reason", code=7, causes={"cause"}})"));
  CHECK(Faults::Empty().what() == std::string("IDL:Faults/Empty:1.0"));
  CHECK(Faults::Risky::Nearby::_type_id == "IDL:Faults/Risky/Nearby:1.0");
  try {
    base._raise();
  } catch (const Faults::Detailed& caught) {
    CHECK(caught == detailed);
    CHECK(caught._cxx_what() == "reason");
  }
}

TEST_CASE("references convert to references to bases and to Object") {
  static_assert(std::is_convertible_v<IDL::traits<Family::Child>::ref_type,
                                      IDL::traits<Family::Ancestor>::ref_type>);
  static_assert(std::is_convertible_v<IDL::traits<Family::Child>::ref_type,
                                      IDL::traits<CORBA::Object>::ref_type>);
  static_assert(!std::is_convertible_v<IDL::traits<Family::Ancestor>::ref_type,
                                       IDL::traits<Family::Child>::ref_type>);
  static_assert(
      std::is_same_v<IDL::traits<Graph::Corner>::ref_type, IDL::traits<Graph::Vertex>::ref_type>);
}

TEST_CASE("traits tell how types are passed") {
  static_assert(std::is_same_v<IDL::traits<Shapes::Point>::in_type, const Shapes::Point&>);
  static_assert(std::is_same_v<IDL::traits<Shapes::Unit>::in_type, Shapes::Unit>);
  static_assert(std::is_same_v<IDL::traits<Shapes::Nodes>::out_type, Shapes::Nodes&>);
  static_assert(
      std::is_same_v<CORBA::servant_traits<Stock::Quoter>::base_type, POA::Stock::Quoter>);
}

TEST_CASE("modules that are opened again are one namespace") {
  const Plain plain(Outer::Settings::depth);
  const Outer::Inner::Item item(plain);
  CHECK(item.content().value() == 3);
}
