// Requests that arrive together: a reply does not wait for the long upcall of a later request.
#include "orb/server/server_fixture.h"
#include "support/fake_clock.h"

#include <chrono>
#include <cstdint>
#include <future>

using namespace perigee;
using namespace perigee::test;

namespace {

constexpr std::uint32_t takes_long = 1;
constexpr std::uint32_t waits = 2;  // until the client has the reply to the request before

}  // namespace

TEST_CASE("the reply of a long upcall leaves before the next upcall") {
  FakeClock clock;
  TestParts parts;
  parts.settings = server_settings(each_strategy());
  parts.clock = &clock;
  std::promise<void> answered;
  ServerFixture server(std::move(parts), [&](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    request.end_of_arguments();
    bool heard = true;
    if (argument == takes_long) clock.advance(std::chrono::milliseconds(1));
    if (argument == waits)
      heard = answered.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
    request.reply([heard](cdr::Encoder& encoder) { encoder << std::uint32_t{heard}; });
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1, .argument = takes_long}) +
              make_request({.key = server.key, .id = 2, .argument = waits}));
  CHECK(client.reply().id() == 1);
  answered.set_value();
  CHECK(client.reply().result() == 1);
}
