// From stamps of time probes to the steps of a call.
#include "whitebox/steps.h"

#include "whitebox/whitebox.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

using namespace perigee::bench;
using perigee::probe::Point;

namespace {

// One call that began at `start`, of 3 + 5 ticks.
void add_call(std::vector<Stamp>& stamps, std::uint64_t start) {
  stamps.push_back({start, Point::call_begins});
  stamps.push_back({start + 3, Point::initialised});
  stamps.push_back({start + 8, Point::call_ended});
}

}  // namespace

TEST_CASE("a step takes the time since the stamp before it") {
  std::vector<Stamp> stamps;
  for (const std::uint64_t start : {100U, 200U, 300U}) add_call(stamps, start);
  const Steps steps = middle_steps(stamps, Point::call_ended, 2);
  CHECK(steps.at(Point::initialised) == 3);
  CHECK(steps.at(Point::call_ended) == 5);
  CHECK(steps.at(Point::call_begins) == 92);  // what was between the calls
}

TEST_CASE("of the first call nothing is known, as its beginning may be lost") {
  std::vector<Stamp> stamps;
  add_call(stamps, 100);
  CHECK(middle_steps(stamps, Point::call_ended, 1).empty());
  add_call(stamps, 200);
  CHECK_FALSE(middle_steps(stamps, Point::call_ended, 1).empty());
}

TEST_CASE("a step that comes twice in a call counts twice, and one that does not come is no time") {
  const std::vector<Stamp> stamps{{0, Point::sent},
                                  {1, Point::receive_begins},
                                  {5, Point::received},
                                  {7, Point::receive_begins},
                                  {9, Point::received},
                                  {10, Point::sent},
                                  {11, Point::receive_begins},
                                  {15, Point::received},
                                  {16, Point::sent},
                                  {17, Point::receive_begins},
                                  {21, Point::sent}};
  const Steps steps = middle_steps(stamps, Point::sent, 3);
  CHECK(steps.at(Point::received) == doctest::Approx((6 + 4 + 0) / 3.0));
  CHECK(steps.at(Point::receive_begins) == doctest::Approx((3 + 1 + 1) / 3.0));
}

TEST_CASE("one call in four may be disturbed, and changes nothing") {
  std::vector<Stamp> stamps;
  for (const std::uint64_t start : {100U, 200U, 300U, 400U, 500U}) add_call(stamps, start);
  stamps.back().ticks += 1000000;
  CHECK(middle_steps(stamps, Point::call_ended, 4).at(Point::call_ended) == 5);
}

TEST_CASE("steps go through a line of text") {
  const Steps steps{{Point::initialised, 3.5}, {Point::sent, 120}};
  CHECK(parse_steps(to_line(steps)) == steps);
  for (const char* line : {"", "steps", "steps 1", "steps 1 2 x", "error 1 2"})
    CHECK_THROWS_AS(parse_steps(line), std::runtime_error);
}

TEST_CASE("what no layer of either side takes is the system's") {
  const WhiteboxResult result{
      "GIOP TCP",
      0,
      {{Point::initialised, 10}, {Point::sent, 100}, {Point::received, 500}},
      {{Point::key_parsed, 20}, {Point::received, 999}}};
  CHECK(round_trip(result) == 610);
  CHECK(time_of(Layer::orb, result) == 30);
  CHECK(time_of(Layer::io, result) == 580);
}
