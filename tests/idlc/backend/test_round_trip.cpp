// Generated CDR operators: values of every kind of type are encoded and decoded, in both byte
// orders and from every start position. Truncated octets are an error, never a crash.
#include "enumsC.h"
#include "exceptionsC.h"
#include "namesC.h"
#include "recursionC.h"
#include "referencesC.h"
#include "round_trip.h"
#include "sequencesC.h"
#include "structsC.h"
#include "support/octets.h"
#include <perigee/orb/stub.h>

#include <doctest/doctest.h>

#include <limits>

namespace {

using perigee::Octets;
using perigee::cdr::Decoder;
using perigee::test::check_round_trip;
using perigee::test::encode;

Shapes::Mixed mixed() {
  return Shapes::Mixed(true, 'x', 200, -2, std::numeric_limits<uint64_t>::max(), 0.5F, 1.25L,
                       "name", Shapes::Unit::foot, Shapes::Point(1.5, -2.5));
}

}  // namespace

// CORBA 3.0, 15.3.2.1: structs are their members in order, each at its natural alignment.
TEST_CASE("a struct is its members in order, in big-endian octets") {
  using perigee::test::octets;
  const Lists::Entry entry("ab", 7, {{1}});
  CHECK(encode(entry, std::endian::big) ==
        octets(0, 0, 0, 3, 'a', 'b', 0,  // heading: length with the NUL, characters, NUL
               0,                        // padding
               0, 0, 0, 7,               // total
               0, 0, 0, 1,               // cells: one row
               0, 0, 0, 1,               // one element
               0, 0, 0, 1));             // 1
}

TEST_CASE("an enum is its ordinal, in little-endian octets") {
  using perigee::test::octets;
  CHECK(encode(Paint::Colour::blue, std::endian::little) == octets(2, 0, 0, 0));
}

TEST_CASE("enums survive the round trip") {
  check_round_trip(Power::on);
  check_round_trip(Paint::Colour::blue);
  check_round_trip(Paint::Brush::Width::thick);
  check_round_trip(
      std::vector<Paint::Pigment>{Paint::Pigment::burnt_umber, Paint::Pigment::titanium_white});
}

TEST_CASE("an ordinal beyond the enumerators is an error") {
  const Octets octets = encode(std::uint32_t{3}, std::endian::little);
  Decoder decoder(octets, std::endian::little);
  Paint::Colour colour{};
  decoder >> colour;
  CHECK(decoder.error().kind == perigee::cdr::ErrorKind::bad_enum);
}

TEST_CASE("structs survive the round trip") {
  check_round_trip(mixed());
  check_round_trip(Shapes::Sizes(1, 2));
  check_round_trip(Shapes::Outer(Shapes::Outer::Inner(5), Shapes::Outer::Kind::fancy,
                                 {Shapes::Point(1, 2), Shapes::Point(3, 4)}));
  check_round_trip(Shapes::Canvas::Stroke(Shapes::Point(1, 2), Shapes::Point(3, 4)));
}

TEST_CASE("a struct that holds a sequence of itself survives the round trip") {
  const Shapes::Node leaf("leaf", {});
  check_round_trip(Shapes::Node("root", {leaf, Shapes::Node("inner", {leaf, leaf})}));
}

TEST_CASE("nesting beyond the limit is an error") {
  Shapes::Node node("leaf", {});
  for (int depth = 0; depth < 200; ++depth) {
    Shapes::Node outer("", {});
    outer.children().push_back(std::move(node));
    node = std::move(outer);
  }
  const Octets octets = encode(node, std::endian::little);
  Decoder decoder(octets, std::endian::little);
  Shapes::Node decoded;
  decoder >> decoded;
  CHECK(decoder.error().kind == perigee::cdr::ErrorKind::too_deep);
}

TEST_CASE("sequences survive the round trip") {
  check_round_trip(Lists::Octets{1, 2, 255});
  check_round_trip(Lists::Booleans{true, false, true});
  check_round_trip(Lists::Letters{'a', 'b'});
  check_round_trip(Lists::Longs{1, -1, std::numeric_limits<int32_t>::min()});
  check_round_trip(Lists::Doubles{0.1, -1e300});
  check_round_trip(Lists::Names{"", "one", "two"});
  check_round_trip(Lists::Matrix{{}, {1}, {1, 2, 3}});
  check_round_trip(Lists::Table{{"a"}, {}, {"b", "c"}});
  check_round_trip(Lists::Entries{Lists::Entry("title", 3, {{1, 2}}), Lists::Entry()});
}

TEST_CASE("exceptions' members survive the round trip") {
  check_round_trip(Global_Trouble(-5));
  check_round_trip(Faults::Detailed("reason", 7, {"first", "second"}));
  check_round_trip(Faults::Risky::Nearby(true));
}

TEST_CASE("an exception without members has no octets on the wire") {
  CHECK(encode(Faults::Empty(), std::endian::little).empty());
}

TEST_CASE("types with reserved C++ names survive the round trip") {
  using namespace _cxx_class;
  check_round_trip(_cxx_template(1, "what", _cxx_operator::_cxx_delete));
  check_round_trip(_cxx_typename{_cxx_template(1, "", _cxx_operator::_cxx_new), _cxx_template()});
}

TEST_CASE("structs that hold sequences of each other survive the round trip") {
  using namespace Recursion;
  Folder inner(File("inner", {}, {}), {}, {});
  const File file("outer", {inner, inner}, {Entry(), Entry()});
  const Folder folder(file, {file, File()}, {Folders{inner}, Folders{}});
  check_round_trip(folder);
  Choice choice;
  choice.several({folder, inner});
  check_round_trip(choice);
  CHECK(file == File(file));
  CHECK(file != File());
}

TEST_CASE("nil references survive the round trip") {
  check_round_trip(Graph::Edge(nullptr, nullptr, nullptr));
  check_round_trip(Graph::Vertices{nullptr, nullptr});
}
