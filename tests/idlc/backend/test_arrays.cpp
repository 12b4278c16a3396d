// Arrays: their C++ types, encoding and decoding.
#include "arraysC.h"
#include "round_trip.h"
#include "support/octets.h"

#include <doctest/doctest.h>

#include <type_traits>

using perigee::test::check_round_trip;
using perigee::test::encode;
using perigee::test::octets;

TEST_CASE("an array of several dimensions is an array of arrays") {
  static_assert(std::is_same_v<Grids::Matrix, std::array<std::array<double, 3>, 2>>);
  static_assert(IDL::traits<Grids::Matrix>::dimensions::value == 2);
  static_assert(std::is_same_v<Grids::Rows, std::array<Grids::Row, 2>>);
  static_assert(std::is_same_v<IDL::traits<Grids::Row>::in_type, const Grids::Row&>);
  const Grids::Board board;
  CHECK(board.digest() == std::array<uint8_t, 16>{});
}

// CORBA 3.0, 15.3.2.4: there is no length, and the last index varies fastest.
TEST_CASE("the octets of an array are those of its elements, without a length") {
  CHECK(encode(std::array<std::array<int16_t, 2>, 2>{{{1, 2}, {3, 4}}}, std::endian::big) ==
        octets(0, 1, 0, 2, 0, 3, 0, 4));
  CHECK(encode(Grids::Names{"a", ""}, std::endian::little) ==
        octets(2, 0, 0, 0, 'a', 0, 0, 0, 1, 0, 0, 0, 0));
}

TEST_CASE("arrays survive the round trip") {
  check_round_trip(Grids::Row{1, -2, 3});
  check_round_trip(Grids::Matrix{{{1, 2, 3}, {4, 5, 6}}});
  check_round_trip(Grids::Names{"one", ""});
  check_round_trip(Grids::Flags{true, false, true, true});
  check_round_trip(Grids::Rows{{{1, 2, 3}, {4, 5, 6}}});
  check_round_trip(Grids::RowList{{1, 2, 3}, {4, 5, 6}});
  check_round_trip(Grids::Cells{Grids::Cell(1, {'a', 'b'}), Grids::Cell(2, {'c', 'd'})});
  check_round_trip(std::array<long double, 2>{0.25L, -1.5L});
}

TEST_CASE("a struct with arrays survives the round trip") {
  const Grids::Cell cell(7, {'x', 'y'});
  check_round_trip(Grids::Board({1, 2, 3}, {{{cell, cell}, {cell, Grids::Cell()}}},
                                {std::vector<int16_t>{1}, {}}, {{1, 2}, {}, {3}}));
}

TEST_CASE("a sequence of arrays cannot be longer than its octets allow") {
  const perigee::Octets wire = encode(std::uint32_t{3}, std::endian::little);
  perigee::cdr::Decoder decoder(wire, std::endian::little);
  std::vector<std::array<double, 1000>> values;
  decoder >> values;
  CHECK(decoder.error().kind == perigee::cdr::ErrorKind::bad_length);
  CHECK(values.capacity() == 0);
}

TEST_CASE("an array's booleans are validated") {
  const perigee::Octets wire = octets(1, 0, 2, 1);
  perigee::cdr::Decoder decoder(wire, std::endian::little);
  Grids::Flags flags{};
  decoder >> flags;
  CHECK(decoder.error().kind == perigee::cdr::ErrorKind::bad_boolean);
}
