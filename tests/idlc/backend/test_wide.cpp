// Wide characters and strings in generated types.
#include "round_trip.h"
#include "wideC.h"

#include <doctest/doctest.h>

using perigee::test::check_round_trip;

TEST_CASE("wide characters and strings survive the round trip, also beyond the basic plane") {
  check_round_trip(Wide::Letters{L'a', L'\u20ac'});
  check_round_trip(Wide::Row{L'a', L'\u20ac'});
  check_round_trip(Wide::Page(L'\u00e9', L"a\U0001d11eb", {L"", L"line"}));
}

TEST_CASE("a union over wide characters survives the round trip") {
  Wide::Key key;
  check_round_trip(key);
  key.name(L"n");
  check_round_trip(key);
  key.price(3);
  CHECK(key._d() == L'\u20ac');
  check_round_trip(key);
}
