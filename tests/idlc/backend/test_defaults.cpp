// The initial values of members: @default and @default_literal.
#include "defaultsC.h"
#include "round_trip.h"

#include <doctest/doctest.h>

#include <limits>

using perigee::test::check_round_trip;
using namespace Defaults;

TEST_CASE("a default-constructed struct has the values of @default") {
  const Settings settings;
  CHECK(settings.port() == standard_port);
  CHECK(settings.host() == "localhost");
  CHECK(settings.is_on());
  CHECK(settings.least() == std::numeric_limits<int64_t>::min());
  CHECK(settings.ratio() == 1.5F);
  CHECK(settings.letter() == 'x');
  CHECK(settings.wide() == L"wide");
  CHECK(settings.limit() == Level::high);
  CHECK(settings.small() == 200);
  CHECK(settings.plain() == 0);
}

TEST_CASE("a member of an enum without @default has the default literal") {
  CHECK(Settings().level() == Level::middle);
}

TEST_CASE("a default-constructed exception has the values of @default") {
  CHECK(Refused().code() == 7);
}

TEST_CASE("@default does not change the encoding") { check_round_trip(Settings()); }
