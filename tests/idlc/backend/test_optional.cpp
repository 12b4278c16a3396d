// Members with @optional: std::optional in C++, and a sequence with a bound of 1 on the wire.
#include "optionalA.h"
#include "optionalC.h"
#include "round_trip.h"
#include "support/octets.h"
#include <perigee/orb/hash.h>
#include <perigee/orb/write.h>

#include <doctest/doctest.h>

#include <optional>
#include <sstream>
#include <type_traits>

using perigee::test::check_round_trip;
using perigee::test::encode;
using perigee::test::octets;
using namespace Optional;

namespace {

Person ada() {
  Person person;
  person.name("Ada");
  person.age(36);
  person.nick("Countess");
  person.scores(std::vector<int32_t>{1, 2});
  person.place(Point(3, 4));
  person.pair(std::array<int32_t, 2>{5, 6});
  person.size(Size::large);
  return person;
}

template <typename T>
std::string text_of(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace

TEST_CASE("a new struct has no values of its optional members") {
  const Person person;
  static_assert(std::is_same_v<decltype(person.age()), const std::optional<int32_t>&>);
  CHECK(!person.age().has_value());
  CHECK(!person.scores().has_value());
}

TEST_CASE("optional members are encoded as a sequence of zero or one elements") {
  CHECK(encode(Numbers(7, std::nullopt), std::endian::big) ==
        octets(0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0));
  check_round_trip(Numbers());
  check_round_trip(Numbers(1, 2));
  check_round_trip(ada());
  check_round_trip(Person());
}

TEST_CASE("two values of an optional member are an error") {
  const perigee::Octets wire = octets(0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 0);
  perigee::cdr::Decoder decoder(wire, std::endian::big);
  Numbers numbers;
  decoder >> numbers;
  CHECK(decoder.error().kind == perigee::cdr::ErrorKind::bad_value);
}

TEST_CASE("optional members are compared, hashed and written") {
  CHECK(ada() == ada());
  CHECK(ada() != Person());
  CHECK(std::hash<Numbers>()(Numbers(1, 2)) == std::hash<Numbers>()(Numbers(1, 2)));
  CHECK(std::hash<Numbers>()(Numbers(1, 2)) != std::hash<Numbers>()(Numbers(1, std::nullopt)));
  CHECK(text_of(Numbers(1, std::nullopt)) == "Optional::Numbers{first=1, second=nothing}");
}

TEST_CASE("a struct with optional members travels in an any") {
  CORBA::Any any;
  any <<= ada();
  CORBA::Any copy;
  perigee::cdr::Buffer buffer;
  perigee::cdr::Encoder encoder(buffer, std::endian::little);
  encoder << any;
  const perigee::Octets wire = buffer.flatten();
  perigee::cdr::Decoder decoder(wire, std::endian::little);
  decoder >> copy;
  Person person;
  REQUIRE((copy >>= person));
  CHECK(person == ada());
  CHECK(copy.type()->member_type(1)->kind() == CORBA::TCKind::tk_sequence);
}

TEST_CASE("an exception may have optional members") {
  const Refused refused(std::string("late"));
  CHECK(refused.why() == "late");
  check_round_trip(Refused());
}
