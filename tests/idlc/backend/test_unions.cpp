// Unions: selection of members, encoding and decoding.
#include "round_trip.h"
#include "support/octets.h"
#include "unionsC.h"

#include <doctest/doctest.h>

#include <limits>

using perigee::test::check_round_trip;
using perigee::test::encode;
using perigee::test::octets;
using namespace Choices;

namespace {

/// A union after a call of one of its setters.
template <typename Union, typename Set>
Union made(Set set) {
  Union value;
  set(value);
  return value;
}

Tree leaf(int32_t number) {
  return made<Tree>([&](Tree& tree) { tree.leaf(number); });
}

Tree branch(Trees children) {
  return made<Tree>([&](Tree& tree) { tree.children(std::move(children)); });
}

}  // namespace

TEST_CASE("a new union selects a value without a label, or else the first member") {
  const Otherwise with_default;
  CHECK(with_default.data().empty());
  CHECK(with_default._d() == 1);  // the first value without a label
  const Maybe with_implicit_default;
  CHECK_FALSE(with_implicit_default._d());
  const Figure covered;
  CHECK(covered._d() == Shape::circle);
  CHECK(covered.radius() == 0);
}

TEST_CASE("setting a member selects it") {
  Otherwise value;
  value.text("words");
  CHECK(value._d() == -1);
  CHECK(value.text() == "words");
  value.text("others", 2);
  CHECK(value._d() == 2);
  value.text() += "!";
  CHECK(value.text() == "others!");
  value.number(4);
  CHECK(value._d() == 0);
  CHECK(value.number() == 4);
}

TEST_CASE("reading a member that is not selected raises BAD_PARAM") {
  Otherwise value;
  value.number(4);
  CHECK_THROWS_AS(static_cast<void>(value.text()), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(static_cast<void>(std::as_const(value).data()), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(static_cast<void>(Maybe().value()), CORBA::BAD_PARAM);
}

TEST_CASE("the discriminator can change only to another value of the selected member") {
  Otherwise value;
  value.text("words");
  value._d(2);
  CHECK(value.text() == "words");
  CHECK_THROWS_AS(value._d(0), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(value._d(77), CORBA::BAD_PARAM);
  value.data({1}, 77);
  value._d(-77);
  CHECK(value.data() == Octets{1});
  CHECK_THROWS_AS(value.data({1}, -1), CORBA::BAD_PARAM);
}

TEST_CASE("_default selects no member") {
  Maybe value;
  value.value(3);
  value._default();
  CHECK_FALSE(value._d());
  CHECK_THROWS_AS(static_cast<void>(value.value()), CORBA::BAD_PARAM);
}

TEST_CASE("a member may be set from a part of the union's own value") {
  Tree tree = branch({branch({leaf(1), leaf(2)}), leaf(3)});
  tree.children(tree.children()[0].children());
  CHECK((tree == branch({leaf(1), leaf(2)})));
  tree.anonymous(std::move(tree.children()));
  CHECK(tree.anonymous().size() == 2);
}

TEST_CASE("unions copy, move, swap and compare") {
  Otherwise text;
  text.text("words");
  const Otherwise copy = text;
  CHECK((copy == text));
  text._d(2);
  CHECK_FALSE((copy == text));
  Otherwise other;
  swap(text, other);
  CHECK(other.text() == "words");
  const Otherwise moved = std::move(other);
  CHECK(moved._d() == 2);
}

TEST_CASE("a union of fixed size is trivially copyable") {
  static_assert(std::is_trivially_copyable_v<Choices::Deep>);
  static_assert(std::is_trivially_copyable_v<Choices::Letter>);
  static_assert(std::is_trivially_copyable_v<Choices::Own>);
  static_assert(!std::is_trivially_copyable_v<Choices::Deeper>);
  static_assert(!std::is_trivially_copyable_v<Choices::Tree>);
  Choices::Maybe inner;
  inner.value(7);
  Choices::Deep one;
  one.value(inner);
  Choices::Deep other;
  swap(one, other);
  CHECK(other.value().value() == 7);
  CHECK_THROWS_AS(one.value(), CORBA::BAD_PARAM);
}

TEST_CASE("a union prints its discriminator and its member") {
  std::vector<std::string> names;
  Otherwise value;
  value.number(4);
  Otherwise::_visit(value, [&](std::string_view name, auto&) { names.emplace_back(name); });
  CHECK(names == std::vector<std::string>{"_d", "number"});
  CHECK(Otherwise::_type_name == "Choices::Otherwise");
  Maybe maybe;
  maybe._select(0);
  CHECK(maybe._d());
  maybe._select(1);
  CHECK_FALSE(maybe._d());
  CHECK(Maybe::_branch_count == 2);
}

// CORBA 3.0, 15.3.2.2: the discriminator, then the selected member.
TEST_CASE("a union is its discriminator and the member") {
  Otherwise text;
  text.text("a");
  CHECK(encode(text, std::endian::big) == octets(255, 255, 255, 255, 0, 0, 0, 2, 'a', 0));
  CHECK(encode(Maybe(), std::endian::big) == octets(0));
}

TEST_CASE("unions survive the round trip, for all types of discriminators") {
  check_round_trip(made<Figure>([](Figure& value) { value.length(3, Shape::line); }));
  check_round_trip(made<Otherwise>([](Otherwise& value) { value.text("words", 2); }));
  check_round_trip(made<Otherwise>([](Otherwise& value) { value.data({1, 2}, -9); }));
  check_round_trip(Maybe());
  check_round_trip(made<Maybe>([](Maybe& value) { value.value(3); }));
  check_round_trip(made<Both>([](Both& value) { value.number(-3); }));
  check_round_trip(made<Letter>([](Letter& value) { value.b({1, 2}); }));
  check_round_trip(made<Tiny>([](Tiny& value) { value.last(5); }));
  check_round_trip(made<Small>([](Small& value) { value.least(5); }));
  check_round_trip(made<Number16>([](Number16& value) { value.greatest(5); }));
  check_round_trip(made<Number32>([](Number32& value) { value.greatest(5); }));
  check_round_trip(made<Number64>([](Number64& value) { value.least(5); }));
  check_round_trip(made<Unsigned64>([](Unsigned64& value) { value.value(5); }));
  check_round_trip(made<Own>([](Own& value) { value.both(Own::Pair(1, 2)); }));
  check_round_trip(Inside());
  check_round_trip(made<Inside>([](Inside& value) { value.one(Inside::First(1, "y")); }));
  check_round_trip(made<Names>([](Names& value) { value.value("v", 3); }));
  check_round_trip(made<Chooser::Inner>([](auto& value) { value.seven("7"); }));
}

TEST_CASE("a discriminator without a label survives the round trip") {
  Number64 value;
  value._d(-5);
  check_round_trip(value);
}

TEST_CASE("recursive unions, and unions in structs and exceptions, survive the round trip") {
  check_round_trip(branch({leaf(1), branch({}), branch({leaf(2)})}));
  const auto figure = made<Figure>([](Figure& value) { value.radius(1.5); });
  const auto maybe = made<Maybe>([](Maybe& value) { value.value(3); });
  check_round_trip(Holder(figure, {Otherwise(), Otherwise()}, {maybe, Maybe()}));
  check_round_trip(Unfit(figure));
}

TEST_CASE("a discriminator that is not an enumerator is an error") {
  const perigee::Octets wire = octets(0, 0, 0, 3, 0, 0, 0, 0);
  perigee::cdr::Decoder decoder(wire, std::endian::big);
  Figure figure;
  decoder >> figure;
  CHECK(decoder.error().kind == perigee::cdr::ErrorKind::bad_enum);
}

TEST_CASE("unions beyond the limit of nesting are an error") {
  Tree tree = leaf(1);
  for (int depth = 0; depth < 200; ++depth) {
    Trees children;
    children.push_back(std::move(tree));
    tree = branch(std::move(children));
  }
  const perigee::Octets wire = encode(tree, std::endian::little);
  perigee::cdr::Decoder decoder(wire, std::endian::little);
  Tree decoded;
  decoder >> decoded;
  CHECK(decoder.error().kind == perigee::cdr::ErrorKind::too_deep);
}
