// The additions of IDL 4: their C++ types, and the encoding of docs/mapping.md for types without an
// OMG encoding.
#include "modernC.h"
#include "round_trip.h"
#include "support/octets.h"

#include <doctest/doctest.h>

#include <limits>
#include <type_traits>

using perigee::cdr::ErrorKind;
using perigee::test::check_round_trip;
using perigee::test::encode;
using perigee::test::octets;
using namespace Modern;

namespace {

template <typename T>
ErrorKind decoding_error(const perigee::Octets& wire) {
  perigee::cdr::Decoder decoder(wire, std::endian::big);
  T value{};
  decoder >> value;
  return decoder.error().kind;
}

More more() {
  More bits;
  bits.a(5);
  bits.c(true);
  bits.d(-2);
  bits.e(1023);
  return bits;
}

}  // namespace

TEST_CASE("sized integers survive the round trip") {
  static_assert(std::is_same_v<decltype(small), const int8_t>);
  check_round_trip(Sized(-128, 255, -1, 65535, -1, 1, std::numeric_limits<int64_t>::min(), 1));
}

TEST_CASE("a map is a sequence of keys and values") {
  static_assert(std::is_same_v<Dictionary, std::map<std::string, std::vector<int32_t>>>);
  const std::map<uint8_t, uint8_t> map = {{1, 2}, {3, 4}};
  CHECK(encode(map, std::endian::big) == octets(0, 0, 0, 2, 1, 2, 3, 4));
  check_round_trip(Dictionary{{"", {}}, {"one", {1}}, {"two", {1, 2}}});
  check_round_trip(Few{{1, Sized()}, {2, Sized()}});
}

TEST_CASE("a map with a duplicate key, or beyond its bound, is an error") {
  CHECK(decoding_error<std::map<uint8_t, uint8_t>>(octets(0, 0, 0, 2, 1, 2, 1, 4)) ==
        ErrorKind::bad_value);
  const IDL::bounded_map<uint8_t, uint8_t, 2> two = {{1, 1}, {2, 2}};
  const perigee::Octets wire = encode(two, std::endian::big);
  CHECK(decoding_error<IDL::bounded_map<uint8_t, uint8_t, 1>>(wire) == ErrorKind::bad_value);
}

TEST_CASE("exceeding a map's bound raises BAD_PARAM") {
  Few few;
  few[1] = Sized();
  few.try_emplace(2);
  CHECK_THROWS_AS(few[3], CORBA::BAD_PARAM);
  CHECK_THROWS_AS(few.try_emplace(3), CORBA::BAD_PARAM);
  few[2].a(7);
  CHECK(few.at(2).a() == 7);
  few.erase(1);
  few[3] = Sized();
  CHECK(few.size() == 2);
}

TEST_CASE("a bitmask is used and encoded as an integer of its bits") {
  Flags flags = Flags::first | Flags::sixth;
  CHECK(flags == 0x21);
  flags &= ~std::uint64_t{Flags::first};
  flags |= Flags::fifth;
  CHECK((flags & Flags::fifth) != 0);
  CHECK(flags == (Flags::fifth | Flags::sixth));
  static_assert(Wide::highest == 0x8000000000000000);
  CHECK(encode(flags, std::endian::big) == octets(0x30));
  CHECK(encode(Unbounded(Unbounded::only), std::endian::big) == octets(0, 0, 0, 1));
  check_round_trip(flags);
  check_round_trip(Wide(Wide::lowest | Wide::highest));
}

TEST_CASE("a bitset's fields lie in an integer, the first in the lowest bits") {
  Packed packed;
  packed.a(5);
  packed.c(true);
  packed.d(-2);
  // d in 20 bits from bit 9, c in bit 4, a in bits 0 to 2; 29 bits take four octets.
  CHECK(encode(packed, std::endian::big) == octets(0x1f, 0xff, 0xfc, 0x15));
  check_round_trip(packed);
  check_round_trip(more());
  CHECK(decoding_error<Packed>(octets(0x20, 0, 0, 0)) == ErrorKind::bad_value);
}

TEST_CASE("a bitset without fields takes one octet, which is zero") {
  CHECK(encode(Empty(), std::endian::big) == octets(0));
  check_round_trip(Empty());
  CHECK(decoding_error<Empty>(octets(1)) == ErrorKind::bad_value);
}

TEST_CASE("a value that a bitset's field cannot hold raises BAD_PARAM") {
  Packed packed;
  CHECK_THROWS_AS(packed.a(8), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(packed.d(1 << 19), CORBA::BAD_PARAM);
  packed.d(-(1 << 19));
  CHECK(packed.d() == -(1 << 19));
}

TEST_CASE("a derived struct has its base's members first") {
  Derived derived("name", Flags::first, 7);
  const Base& base = derived;
  CHECK(base.name() == "name");
  CHECK(encode(derived, std::endian::big) == octets(0, 0, 0, 5, 'n', 'a', 'm', 'e', 0,  // name
                                                    1,                                  // flags
                                                    0, 0,                               // padding
                                                    0, 0, 0, 7));                       // extra
  check_round_trip(derived);
  check_round_trip(Last("name", Flags::sixth, -7));
  Derived other;
  swap(other, derived);
  CHECK(other.name() == "name");
  std::string names;
  Last::_visit(std::as_const(other), [&](std::string_view name, const auto&) { names += name; });
  CHECK(names == "nameflagsextra");
}

TEST_CASE("an enum with values or a bound is encoded by its value, in the octets of its bound") {
  CHECK(encode(Level::high, std::endian::big) == octets(1));
  CHECK(encode(Code::next, std::endian::big) == octets(0, 0, 0, 201));
  CHECK(encode(Signed::minus, std::endian::big) == octets(255, 255, 255, 255));
  check_round_trip(Level::low);
  check_round_trip(Code::many);
  check_round_trip(Signed::plus);
  CHECK(decoding_error<Code>(octets(0, 0, 0, 3)) == ErrorKind::bad_enum);
  CHECK(decoding_error<Level>(octets(2)) == ErrorKind::bad_enum);
}

TEST_CASE("a new struct has the first enumerator of each enum, even if its value is not 0") {
  const Chosen chosen;
  CHECK(chosen.code() == Code::two);
  CHECK(chosen.signed_() == Signed::minus);
  CHECK(chosen.level() == Level::low);
}

TEST_CASE("maps can have each key type that has an order") {
  check_round_trip(Keys({{L"b", 1}, {L"a", 2}}, {{IDL::Fixed<4, 2>("1.25"), 1}},
                        {{{"a", "b"}, 1}, {{}, 2}}, {{true, 1}, {false, 2}}));
  check_round_trip(ByBits({{Flags::first, 1}, {Flags::fifth, 2}}));
}

TEST_CASE("unions and structs of IDL 4's types survive the round trip") {
  Number number;
  number.derived(Derived("n", Flags::fifth, 1));
  check_round_trip(number);
  check_round_trip(Everything({{"a", {1}}}, Level::high, Code::two, more(), Wide(Wide::highest)));
}
