// Channels between suppliers and consumers of each kind.
#include "event_service.h"

#include <future>
#include <thread>

namespace perigee::events::test {

TEST_CASE("each push consumer gets the events of a supplier in their order") {
  Service service;
  TestOrb client;
  const auto channel = service.channel(client);
  const auto first = CORBA::make_reference<Consumer>();
  const auto second = CORBA::make_reference<Consumer>();
  connect(client, channel, first);
  connect(client, channel, second);
  const auto supplier = connect_supplier(channel);
  for (const std::int32_t number : numbers_to(100)) supplier->push(event(number));
  CHECK(first->wait_for(100) == numbers_to(100));
  CHECK(second->wait_for(100) == numbers_to(100));
}

TEST_CASE("a pull consumer gets the events that have come since it connected") {
  Service service;
  TestOrb client;
  const auto channel = service.channel(client);
  const auto supplier = connect_supplier(channel);
  supplier->push(event(1));
  const auto consumer = connect_pull(channel);
  bool has_event = true;
  (void)consumer->try_pull(has_event);
  CHECK_FALSE(has_event);
  supplier->push(event(2));
  supplier->push(event(3));
  CHECK(pulled(consumer) == 2);
  std::int32_t number = 0;
  CHECK((consumer->try_pull(has_event) >>= number));
  CHECK(has_event);
  CHECK(number == 3);
}

TEST_CASE("pull waits for the next event") {
  Service service;
  TestOrb client;
  const auto channel = service.channel(client);
  const auto consumer = connect_pull(channel);
  auto waiting = std::async(std::launch::async, [&] { return pulled(consumer); });
  connect_supplier(channel)->push(event(7));
  CHECK(waiting.get() == 7);
}

TEST_CASE("a channel asks pull suppliers for their events") {
  class Supplier final : public CORBA::servant_traits<CosEventComm::PullSupplier>::base_type {
   public:
    CORBA::Any pull() override { return event(++number_); }
    CORBA::Any try_pull(bool& has_event) override {
      has_event = number_ < 20;
      return has_event ? event(++number_) : event(0);
    }
    void disconnect_pull_supplier() override {}

   private:
    std::atomic<std::int32_t> number_ = 0;
  };
  Service service;
  TestOrb client;
  const auto channel = service.channel(client);
  const auto consumer = CORBA::make_reference<Consumer>();
  connect(client, channel, consumer);
  const auto supplier = CORBA::make_reference<Supplier>();
  const auto proxy = channel->for_suppliers()->obtain_pull_consumer();
  proxy->connect_pull_supplier(client.activate<CosEventComm::PullSupplier>(supplier));
  CHECK(consumer->wait_for(20) == numbers_to(20));
  proxy->disconnect_pull_consumer();
  CHECK(proxy->_non_existent());
}

TEST_CASE("a proxy has one peer, and an unconnected proxy passes nothing") {
  Service service;
  TestOrb client;
  const auto channel = service.channel(client);
  const auto supplier = channel->for_suppliers()->obtain_push_consumer();
  CHECK_THROWS_AS(supplier->push(event(1)), CosEventComm::Disconnected);
  supplier->connect_push_supplier(nullptr);
  CHECK_THROWS_AS(supplier->connect_push_supplier(nullptr), CosEventChannelAdmin::AlreadyConnected);
  const auto consumer = channel->for_consumers()->obtain_pull_supplier();
  CHECK_THROWS_AS((void)consumer->pull(), CosEventComm::Disconnected);
  consumer->connect_pull_consumer(nullptr);
  CHECK_THROWS_AS(consumer->connect_pull_consumer(nullptr), CosEventChannelAdmin::AlreadyConnected);
  CHECK_THROWS_AS(channel->for_consumers()->obtain_push_supplier()->connect_push_consumer(nullptr),
                  CORBA::BAD_PARAM);
}

TEST_CASE("a disconnected proxy ends") {
  Service service;
  TestOrb client;
  const auto channel = service.channel(client);
  const auto supplier = connect_supplier(channel);
  const auto consumer = CORBA::make_reference<Consumer>();
  const auto proxy = connect(client, channel, consumer);
  CHECK(service.statistics().suppliers == 1);
  CHECK(service.statistics().consumers == 1);
  supplier->disconnect_push_consumer();
  proxy->disconnect_push_supplier();
  CHECK(service.statistics().suppliers == 0);
  CHECK(service.statistics().consumers == 0);
  CHECK_THROWS_AS(supplier->push(event(1)), CORBA::OBJECT_NOT_EXIST);
}

TEST_CASE("only clients that may destroy a channel destroy it, and its peers are told") {
  TestOrb client;
  {
    Service service;
    CHECK_THROWS_AS(service.channel(client)->destroy(), CORBA::NO_PERMISSION);
  }
  Service service({.may_destroy = true});
  const auto channel = service.channel(client);
  const auto consumer = CORBA::make_reference<Consumer>();
  connect(client, channel, consumer);
  channel->destroy();
  consumer->wait_for_disconnection();
  CHECK(channel->_non_existent());
}

TEST_CASE("a program contains an event service") {
  TestOrb client;
  TestOrb server;
  const auto& orb = server.ref();
  const auto consumer = CORBA::make_reference<Consumer>();
  const auto expected = numbers_to(1);
  perigee::events::EventService events(orb, {.overflow = perigee::events::Overflow::block});
  const auto channel = events.add_channel("news");
  const auto seen = IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(
      client->string_to_object(client->object_to_string(channel)));
  const auto proxy = connect(client, seen, consumer);
  connect_supplier(seen)->push(event(1));
  CHECK(consumer->wait_for(1) == expected);
  proxy->disconnect_push_supplier();
  orb->shutdown(true);
}

TEST_CASE("channels of a service are independent, and have keys of their own") {
  Service service;
  TestOrb client;
  const auto other = IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(
      client->string_to_object(client->object_to_string(service.service().add_channel("other"))));
  CHECK_THROWS_AS((void)service.service().add_channel("other"), CORBA::BAD_PARAM);
  CHECK_THROWS_AS((void)service.service().statistics_of("none"), CORBA::BAD_PARAM);
  const auto consumer = connect_pull(service.channel(client));
  connect_supplier(other)->push(event(1));
  bool has_event = true;
  (void)consumer->try_pull(has_event);
  CHECK_FALSE(has_event);
  CHECK(service.service().statistics_of("other").received == 1);
}

}  // namespace perigee::events::test
