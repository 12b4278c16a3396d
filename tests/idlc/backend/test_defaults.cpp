// The initial values of members: @default and @default_literal.
#include "corba_againC.h"
#include "defaultsC.h"
#include "round_trip.h"

#include <doctest/doctest.h>

#include <limits>
#include <type_traits>

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
  CHECK(settings.mask() == 0xffffffff);
}

TEST_CASE("a member without @default has the enumerator with @default_literal") {
  CHECK(Settings().level() == Level::middle);
}

TEST_CASE("arrays of an enum are filled with the enumerator with @default_literal") {
  const Table table;
  const Row row = {Level::middle, Level::middle};
  CHECK(table.levels() == std::array{Level::middle, Level::middle, Level::middle});
  CHECK(table.rows() == std::array{row, row});
}

TEST_CASE("the members of a union start with the enumerator with @default_literal") {
  CHECK(First().row() == Row{Level::middle, Level::middle});
  Choice choice;
  choice._select(0);
  CHECK(choice.level() == Level::middle);
  choice._select(1);
  CHECK(choice.row() == Row{Level::middle, Level::middle});
}

TEST_CASE("a default-constructed exception has the values of @default") {
  CHECK(Refused().code() == 7);
}

TEST_CASE("@default does not change the encoding") { check_round_trip(Settings()); }

TEST_CASE("a file that declares types of module CORBA uses those of the library") {
  const Again::Description description;
  static_assert(std::is_same_v<decltype(description.octets()), const std::vector<uint8_t>&>);
  check_round_trip(Again::Description("name", CORBA::ParameterMode::PARAM_OUT, {1, 2}, {}));
}
