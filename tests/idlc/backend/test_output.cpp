// Values of generated types as text, and their hashes.
#include "anyC.h"
#include "enumsC.h"
#include "exceptionsC.h"
#include "fixedC.h"
#include "forward_definitionC.h"
#include "localC.h"
#include "sequencesC.h"
#include "structsC.h"
#include <perigee/orb/hash.h>
#include <perigee/orb/write.h>

#include <doctest/doctest.h>

#include <sstream>
#include <unordered_set>

template <>
struct IDL::formatter<Shapes::Unit, char> {
  template <typename Stream>
  static Stream& write(Stream& os, IDL::traits<Shapes::Unit>::in_type unit) {
    os << "unit " << static_cast<int>(unit);
    return os;
  }
};

namespace {

template <typename T>
std::string text(const T& value) {
  std::ostringstream os;
  os << value;
  return os.str();
}

template <typename T>
std::string written(const T& value) {
  return text(IDL::traits<T>::write(value));
}

struct Terse {
  template <typename Stream>
  static Stream& write(Stream& os, const Shapes::Point& point) {
    os << point.x() << '/' << point.y();
    return os;
  }
};

}  // namespace

TEST_CASE("structs, enums, sequences and exceptions are printed with their names") {
  CHECK(text(Shapes::Point(1.5, -2)) == "Shapes::Point{x=1.5, y=-2}");
  CHECK(text(Paint::Colour::green) == "green");
  CHECK(text(static_cast<Paint::Colour>(77)) == "77");
  CHECK(text(Shapes::Nodes{Shapes::Node("a\n\"b\"", {})}) ==
        R"({Shapes::Node{label="a\n\"b\"", children={}}})");
  CHECK(text(Global_Trouble(3)) == "IDL:Global_Trouble:1.0 {code=3}");
  CHECK(text(Faults::Empty()) == "IDL:Faults/Empty:1.0");
  CHECK(text(CORBA::TRANSIENT(0, CORBA::COMPLETED_NO)) ==
        "TRANSIENT {Minor code : 0, Completed : NO}");
  CHECK(text(CORBA::COMPLETED_MAYBE) == "COMPLETED_MAYBE");
}

TEST_CASE("basic types, strings and their sequences are printed through their traits") {
  CHECK(written(std::vector<int32_t>{1, -2}) == "{1, -2}");
  CHECK(written(std::vector<bool>{true, false}) == "{true, false}");
  CHECK(written(std::vector<uint8_t>{7, 65}) == "{7, 65}");
  CHECK(written(std::string("tab\t\x01 \\")) == R"("tab\t\x01 \\")");
  CHECK(written('\'') == R"('\'')");
  CHECK(written(0.1F) == "0.1");
  CHECK(text(perigee::text::quoted(L"\u00e9\U0001f600", '"')) == "L\"\xc3\xa9\xf0\x9f\x98\x80\"");
}

TEST_CASE("references are printed with the names of their interfaces") {
  CHECK(text(IDL::traits<Elsewhere::Customer>::ref_type()) ==
        "IDL::traits<Elsewhere::Customer>::ref_type{nil}");
  CHECK(text(IDL::traits<CORBA::Object>::write(nullptr)) ==
        "IDL::traits<CORBA::Object>::ref_type{nil}");
  CHECK(text(Near::Shape::Placed(nullptr, 2)) ==
        "Near::Shape::Placed{what=IDL::traits<Near::Shape>::ref_type{nil}, where=2}");
}

TEST_CASE("a user's formatter applies to a value, or to all values of its type") {
  CHECK(text(IDL::traits<Shapes::Point>::write<Terse>(Shapes::Point(1, 2))) == "1/2");
  CHECK(text(Shapes::Unit::foot) == "unit 1");
  CHECK(text(Shapes::Mixed()).find("scale=unit 0") != std::string::npos);
}

TEST_CASE("equal values have equal hashes, and values can be keys") {
  std::unordered_set<Shapes::Node> nodes;
  nodes.insert(Shapes::Node("a", {Shapes::Node("b", {})}));
  nodes.insert(Shapes::Node("a", {Shapes::Node("b", {})}));
  nodes.insert(Shapes::Node("a", {}));
  CHECK(nodes.size() == 2);
  CHECK(std::hash<Shapes::Point>()(Shapes::Point(1, 2)) !=
        std::hash<Shapes::Point>()(Shapes::Point(2, 1)));
  CHECK(std::hash<Money::Item>()(Money::Item("a", Money::Amount(1), 2)) !=
        std::hash<Money::Item>()(Money::Item("a", Money::Amount(2), 2)));
  CHECK(std::hash<Money::Amount>()(Money::Amount("1.50")) ==
        std::hash<Money::Amount>()(Money::Amount("1.5")));
  CHECK(std::hash<Boxes::Parcel>()(Boxes::Parcel()) == std::hash<Boxes::Parcel>()(Boxes::Parcel()));
  std::unordered_set<IDL::traits<CORBA::Object>::ref_type> objects{nullptr};
  CHECK(objects.contains(nullptr));
}
