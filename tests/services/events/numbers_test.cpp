// The numbers of channels in the table and in the metrics, which operators read.
#include "event_service.h"
#include "services/events/channel_numbers.h"

namespace perigee::events::test {

namespace {

NumbersOfChannels two_channels() {
  return {{"a", {.received = 3, .delivered = 6, .consumers = 2}}, {"b", {.waiting_octets = 77}}};
}

}  // namespace

TEST_CASE("the table of channels has a row for each channel") {
  const auto table = table_of_channels(two_channels(), {.path = {}, .after = "", .rows_max = 10});
  CHECK(table.columns == std::vector<std::string>{"channel", "received", "refused", "delivered",
                                                  "dropped", "disconnected", "suppliers",
                                                  "consumers", "waiting octets"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].cells ==
        std::vector<std::string>{"a", "3", "0", "6", "0", "0", "0", "2", "0"});
  CHECK(table.rows[1].cells.back() == "77");
  CHECK(table.next.empty());
}

TEST_CASE("an incomplete table of channels names the channel after which the next table begins") {
  const auto table = table_of_channels(two_channels(), {.path = {}, .after = "", .rows_max = 1});
  CHECK(table.rows.size() == 1);
  CHECK(table.next == "a");
}

TEST_CASE("the metrics of the ORB have the numbers of each channel") {
  Service service;
  TestOrb client;
  service.service().add_channel("other \"<b>\n");
  const auto channel = service.channel(client);
  const auto consumer = connect_pull(channel);
  connect_supplier(channel)->push(event(1));
  const auto metrics = service.metrics();
  CHECK(metrics.value("perigee_events_received_total", {{"channel", "test"}}) == 1);
  CHECK(metrics.value("perigee_events_consumers", {{"channel", "test"}}) == 1);
  CHECK(metrics.value("perigee_events_suppliers", {{"channel", "test"}}) == 1);
  CHECK(metrics.value("perigee_events_waiting_bytes", {{"channel", "test"}}) > 256);
  CHECK(metrics.value("perigee_events_received_total", {{"channel", "other \"<b>\n"}}) == 0);
  CHECK(orb::to_prometheus(metrics).contains(R"(channel="other \"<b>)"));
  CHECK(pulled(consumer) == 1);
  CHECK(service.metrics().value("perigee_events_delivered_total") == 1);
  CHECK(service.metrics().value("perigee_events_waiting_bytes") == 0);
}

}  // namespace perigee::events::test
