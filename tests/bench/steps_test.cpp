// From the time stamps of probes to the steps of a call.
#include "whitebox/steps.h"

#include "harness/temporary_folder.h"
#include "whitebox/counts.h"
#include "whitebox/whitebox.h"

#include <doctest/doctest.h>

#include <fstream>
#include <stdexcept>
#include <vector>

using namespace perigee::bench;
using perigee::probe::Point;

namespace {

// Adds one call that begins at `start` and takes 3 + 5 ticks.
void add_call(std::vector<Stamp>& stamps, std::uint64_t start) {
  stamps.push_back({start, Point::call_begins});
  stamps.push_back({start + 3, Point::initialised});
  stamps.push_back({start + 8, Point::call_ended});
}

constexpr StampClock exact{1, 0};

CallSteps call(double client, double server) {
  return {{{Point::call_begins, 1000}, {Point::received, client}}, {{Point::upcall_ended, server}}};
}

}  // namespace

TEST_CASE("a call that moves between threads has the stamps of all of them in the order of time") {
  const std::vector<Stamp> all =
      merged({{{1, Point::received}, {9, Point::sent}}, {{4, Point::upcall_begins}}});
  REQUIRE(all.size() == 3);
  CHECK(all[1].point == Point::upcall_begins);
  const std::vector<SideCall> calls =
      last_calls(merged({{{0, Point::sent}, {1, Point::received}, {9, Point::sent}},
                         {{4, Point::upcall_begins}}}),
                 Point::sent, 1, exact);
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].steps.at(Point::upcall_begins) == 3);
  CHECK(calls[0].steps.at(Point::sent) == 5);
}

TEST_CASE("callgrind's parts give the instructions between stamps, without those of the stamps") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "parts";
  std::ofstream(file) << "part: 1\nfn=(1) main\n10 100\ncfn=(2) perigee::probe::on::stamp(Point)\n"
                         "calls=1 5\n10 7\n\nfn=(2)\n5 7\ntotals: 107\n"
                         "part: 2\nfn=(1)\n11 20\ncfn=(2)\ncalls=1 5\n11 7\n\nfn=(2)\n+1 6\n* 1\n"
                         "cfn=(3) other\ncalls=1 1\n1 50\nfn=(3)\n1 50\ntotals: 77\n";
  const std::vector<Stamp> stamps = count_stamps(file, {Point::call_begins, Point::initialised});
  REQUIRE(stamps.size() == 2);
  CHECK(stamps[0].ticks == 100);
  CHECK(stamps[1].ticks == 100 + 70);
  CHECK(stamps[1].point == Point::initialised);
  CHECK_THROWS_AS(count_stamps(file, std::vector<Point>(3)), std::runtime_error);
  CHECK_THROWS_AS(count_stamps("/nowhere", {Point::sent}), std::runtime_error);
}

TEST_CASE("a median of counts is not changed by a single call") {
  const CallSteps steps = medians({call(10, 3), call(10, 3), call(5000, 3)});
  CHECK(steps.client.at(Point::received) == 10);
  CHECK(steps.server.at(Point::upcall_ended) == 3);
}

TEST_CASE("the wait of an event loop counts as input and output") {
  WhiteboxResult result;
  result.steps = {{{Point::received, 500}}, {{Point::receive_begins, 90}}};
  result.strategy = "thread-per-connection";
  CHECK(time_of(Layer::transport, result) == 90);
  result.strategy = "reactive";
  CHECK(time_of(Layer::transport, result) == 0);
  CHECK(time_of(Layer::io, result) == 500);
}

TEST_CASE("points are passed on as a line of text") {
  CHECK(parse_points(points_text({{1, Point::sent}, {2, Point::received}})) ==
        std::vector{Point::sent, Point::received});
  CHECK_THROWS_AS(parse_points("points"), std::runtime_error);
}

TEST_CASE("a step takes the time since the stamp before it") {
  std::vector<Stamp> stamps;
  for (const std::uint64_t start : {100U, 200U, 300U}) add_call(stamps, start);
  const std::vector<SideCall> calls = last_calls(stamps, Point::call_ended, 2, exact);
  REQUIRE(calls.size() == 2);
  CHECK(calls[1].steps.at(Point::initialised) == 3);
  CHECK(calls[1].steps.at(Point::call_ended) == 5);
  CHECK(calls[1].steps.at(Point::call_begins) == 92);  // the time between the calls
}

TEST_CASE("the time for taking stamps is in no step") {
  std::vector<Stamp> stamps;
  for (const std::uint64_t start : {100U, 200U}) add_call(stamps, start);
  const SideCall call = last_calls(stamps, Point::call_ended, 1, {10, 7}).front();
  CHECK(call.steps.at(Point::initialised) == 3 * 10 - 7);
  CHECK(call.stamps_ns == 3 * 7);
}

TEST_CASE("the first call is left out, since its beginning may be missing") {
  std::vector<Stamp> stamps;
  add_call(stamps, 100);
  CHECK(last_calls(stamps, Point::call_ended, 1, exact).empty());
  add_call(stamps, 200);
  CHECK(last_calls(stamps, Point::call_ended, 1, exact).size() == 1);
}

TEST_CASE("a step that comes twice in a call counts twice") {
  const std::vector<Stamp> stamps{{0, Point::sent},      {1, Point::receive_begins},
                                  {5, Point::received},  {7, Point::receive_begins},
                                  {9, Point::received},  {10, Point::sent},
                                  {11, Point::received}, {15, Point::sent}};
  const std::vector<SideCall> calls = last_calls(stamps, Point::sent, 2, {1, 0.5});
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].steps.at(Point::received) == 4 + 2 - 2 * 0.5);
  CHECK(calls[0].steps.at(Point::receive_begins) == 1 + 2 - 2 * 0.5);
  CHECK(calls[0].stamps_ns == 5 * 0.5);
  CHECK_FALSE(calls[1].steps.contains(Point::receive_begins));
}

TEST_CASE("the time for the server's stamps is not part of the client's waiting time") {
  const auto calls =
      join({{{{Point::sent, 5}, {Point::received, 100}}, 9}}, {{{{Point::upcall_ended, 40}}, 30}});
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].client.at(Point::received) == 70);
  CHECK(calls[0].server.at(Point::upcall_ended) == 40);
  CHECK(round_trip(calls[0].client) == 75);
  CHECK_THROWS_AS(join({{}}, {}), std::runtime_error);
}

TEST_CASE("the slowest and the fastest quarter of the calls do not change the result") {
  const CallSteps means = middle_means({call(10, 3), call(900, 1), call(20, 5), call(5, 77)});
  CHECK(means.client.at(Point::received) == 15);
  CHECK(means.server.at(Point::upcall_ended) == 4);  // of the calls that count at the client
}

TEST_CASE("a step that a call did not have counts as zero time") {
  const CallSteps other{{{Point::received, 4}, {Point::sent, 8}}, {}};
  const CallSteps means = middle_means({call(12, 6), other});
  CHECK(means.client.at(Point::sent) == 4);
  CHECK(means.server.at(Point::upcall_ended) == 3);
  CHECK(round_trip(means.client) == 12);
}

TEST_CASE("calls can be written as text and read back") {
  const std::vector<SideCall> calls{{{{Point::initialised, 3.5}, {Point::sent, 120}}, 20},
                                    {{{Point::sent, -1}}, 10}};
  const std::vector<SideCall> back = parse_calls(to_text(calls));
  REQUIRE(back.size() == 2);
  CHECK(back[0].steps == calls[0].steps);
  CHECK(back[1].steps == calls[1].steps);
  CHECK(back[0].stamps_ns == 20);
  for (const char* text : {"", "call", "call 1", "call 1 2", "call 1 2 3 x", "error 1 2 3"})
    CHECK_THROWS_AS(parse_calls(text), std::runtime_error);
}

TEST_CASE("time that belongs to no layer of client or server counts as input and output") {
  WhiteboxResult result;
  result.steps = {{{Point::call_begins, 7},
                   {Point::initialised, 10},
                   {Point::sent, 100},
                   {Point::received, 500}},
                  {{Point::key_parsed, 20}, {Point::received, 999}}};
  CHECK(round_trip(result.steps.client) == 610);
  CHECK(time_of(Layer::orb, result) == 30);
  CHECK(time_of(Layer::io, result) == 580);
}
