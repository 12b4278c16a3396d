// Suppliers and consumers that are tasks.
#include "event_service.h"
#include <perigee/async.h>
#include <perigee/services/events/client.h>

#include <future>
#include <optional>

namespace perigee::events::test {

namespace {

CORBA::object_reference<CORBA::Object> object_of(const ChannelRef& channel) { return channel; }

task<std::vector<std::int32_t>> take(ChannelConsumer& consumer, std::size_t count) {
  std::vector<std::int32_t> numbers;
  while (numbers.size() < count) {
    const std::optional<CORBA::Any> event = co_await consumer.next();
    if (!event) break;
    std::int32_t number = -1;
    *event >>= number;
    numbers.push_back(number);
  }
  co_return numbers;
}

task<bool> give(ChannelSupplier& supplier, std::int32_t last) {
  for (const std::int32_t number : numbers_to(last)) {
    const bool is_accepted = co_await supplier.push(event(number));
    if (!is_accepted) co_return false;
  }
  co_return true;
}

}  // namespace

TEST_CASE("a consumer task gets the events of a supplier task") {
  Service service;
  TestOrb client;
  ChannelConsumer consumer(object_of(service.channel(client)));
  ChannelSupplier supplier(object_of(service.channel(client)));
  run(client.ref(), consumer.connect());
  CHECK(run(client.ref(), give(supplier, 50)));
  CHECK(run(client.ref(), take(consumer, 50)) == numbers_to(50));
  run(client.ref(), supplier.disconnect());
  run(client.ref(), consumer.disconnect());
  run(client.ref(), consumer.disconnect());  // does nothing
  CHECK(service.statistics().suppliers == 0);
  CHECK(service.statistics().consumers == 0);
}

TEST_CASE("a consumer task waits for the next event") {
  Service service;
  TestOrb client;
  TestOrb other;
  ChannelConsumer consumer(object_of(service.channel(client)));
  run(client.ref(), consumer.connect());
  auto waiting =
      std::async(std::launch::async, [&] { return run(client.ref(), take(consumer, 1)); });
  connect_supplier(service.channel(other))->push(event(1));
  CHECK(waiting.get() == numbers_to(1));
}

TEST_CASE("tasks learn that their channel has ended") {
  Service service({.may_destroy = true});
  TestOrb client;
  const auto channel = service.channel(client);
  ChannelConsumer consumer(object_of(channel));
  ChannelSupplier supplier(object_of(channel));
  run(client.ref(), consumer.connect());
  CHECK(run(client.ref(), give(supplier, 1)));
  channel->destroy();
  CHECK_FALSE(run(client.ref(), give(supplier, 1)));
  CHECK(run(client.ref(), take(consumer, 1)).empty());
  run(client.ref(), supplier.disconnect());
  run(client.ref(), consumer.disconnect());
}

TEST_CASE("a consumer task needs a channel") {
  CHECK_THROWS_AS(ChannelConsumer(nullptr), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(ChannelSupplier(nullptr), CORBA::BAD_PARAM);
}

}  // namespace perigee::events::test
