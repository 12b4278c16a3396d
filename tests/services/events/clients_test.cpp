// Which clients may be suppliers and consumers, how many of them one client has, and their end.
#include "event_service.h"

#include <future>

namespace perigee::events::test {

namespace {

std::string text_of_full_client(const ChannelRef& channel) {
  try {
    (void)connect_supplier(channel);
  } catch (const CORBA::NO_RESOURCES& exception) {
    return exception.what();
  }
  return {};
}

}  // namespace

TEST_CASE("clients that no rule admits can be neither suppliers nor consumers") {
  Service service({.may_supply = {}, .may_consume = {}});
  TestOrb client;
  const auto channel = service.channel(client);
  CHECK_THROWS_AS((void)channel->for_suppliers()->obtain_push_consumer(), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS((void)channel->for_suppliers()->obtain_pull_consumer(), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS((void)channel->for_consumers()->obtain_push_supplier(), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS((void)channel->for_consumers()->obtain_pull_supplier(), CORBA::NO_PERMISSION);
}

TEST_CASE("a client that no rule admits cannot use the proxies of other clients") {
  Service service({.may_supply = {}, .may_consume = {}});
  TestOrb client;
  const auto own_supplier = connect_supplier(service.own_channel());
  const auto own_consumer = connect_pull(service.own_channel());
  const auto supplier = IDL::traits<CosEventChannelAdmin::ProxyPushConsumer>::unchecked_narrow(
      client->string_to_object(client->object_to_string(own_supplier)));
  const auto consumer = IDL::traits<CosEventChannelAdmin::ProxyPullSupplier>::unchecked_narrow(
      client->string_to_object(client->object_to_string(own_consumer)));
  CHECK_THROWS_AS(supplier->push(event(1)), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS(supplier->disconnect_push_consumer(), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS((void)consumer->pull(), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS(consumer->disconnect_pull_supplier(), CORBA::NO_PERMISSION);
  own_supplier->push(event(2));
  CHECK(pulled(own_consumer) == 2);
}

TEST_CASE("a client that may not supply cannot connect one channel to the supplier of another") {
  Service service({.may_supply = {}});
  TestOrb client;
  const auto other = service.own_channel("other");
  const auto supplier = connect_supplier(other);
  const auto consumer = IDL::traits<CosEventComm::PushConsumer>::unchecked_narrow(
      client->string_to_object(client->object_to_string(supplier)));
  const auto proxy = service.channel(client)->for_consumers()->obtain_push_supplier();
  CHECK_THROWS_AS(proxy->connect_push_consumer(consumer), CORBA::NO_PERMISSION);
}

TEST_CASE("a client that may not consume cannot supply the events of another channel") {
  Service service({.may_consume = {}});
  TestOrb client;
  const auto other = service.own_channel("other");
  const auto pulled_by_others = connect_pull(other);
  const auto supplier = IDL::traits<CosEventComm::PullSupplier>::unchecked_narrow(
      client->string_to_object(client->object_to_string(pulled_by_others)));
  const auto proxy = service.channel(client)->for_suppliers()->obtain_pull_consumer();
  CHECK_THROWS_AS(proxy->connect_pull_supplier(supplier), CORBA::NO_PERMISSION);
}

TEST_CASE("without options, clients of the host supply and consume") {
  Service service;
  TestOrb client;
  const auto channel = service.channel(client);
  const auto consumer = connect_pull(channel);
  connect_supplier(channel)->push(event(1));
  CHECK(pulled(consumer) == 1);
}

TEST_CASE("one client cannot take the places of all suppliers and consumers") {
  Service service({.proxies_per_client_max = 2});
  TestOrb client;
  const auto channel = service.channel(client);
  const auto consumer = connect_pull(channel);
  (void)connect_supplier(channel);
  const std::string text = text_of_full_client(channel);
  CHECK(text.contains("this host"));
  CHECK(text.contains("--proxies-per-client-max"));
  consumer->disconnect_pull_supplier();
  CHECK_NOTHROW((void)connect_supplier(channel));
}

TEST_CASE("the limit for each client does not apply to the program of the service") {
  Service service({.proxies_per_client_max = 1});
  const auto channel = service.own_channel();
  (void)connect_supplier(channel);
  CHECK_NOTHROW((void)connect_supplier(channel));
}

TEST_CASE("the end of a service tells its suppliers and consumers") {
  Service service;
  TestOrb client;
  const auto channel = service.channel(client);
  const auto consumer = CORBA::make_reference<Consumer>();
  connect(client, channel, consumer);
  const auto pulling = connect_pull(channel);
  auto waiting = std::async(std::launch::async, [&] { return pulled(pulling); });
  service.service().end();
  consumer->wait_for_disconnection();
  CHECK_THROWS((void)waiting.get());
  CHECK_THROWS_AS((void)channel->for_suppliers()->obtain_push_consumer(), CORBA::OBJECT_NOT_EXIST);
}

TEST_CASE("if some peers do not answer, the other peers are still disconnected") {
  Service service({.end_time_max = std::chrono::seconds(4)});
  TestOrb client;
  TestOrb silent({"-ORBThreadStrategy", "reactive"});  // no thread runs it
  const auto channel = service.channel(client);
  for (int count = 0; count < 1'100; ++count)  // more than the service disconnects at the same time
    connect(silent, channel, CORBA::make_reference<Consumer>());
  const auto consumer = CORBA::make_reference<Consumer>();
  connect(client, channel, consumer);
  service.service().end();
  consumer->wait_for_disconnection();
}

TEST_CASE("the end of a service does not wait for peers that do not answer") {
  Service service({.end_time_max = std::chrono::milliseconds(20)});
  TestOrb client;
  TestOrb silent({"-ORBThreadStrategy", "reactive"});  // no thread runs it
  const auto channel = service.channel(client);
  const auto consumer = CORBA::make_reference<Consumer>();
  for (int count = 0; count < 300; ++count)
    connect(silent, service.channel(client), CORBA::make_reference<Consumer>());
  connect(client, channel, consumer);
  service.service().end();
  CHECK(service.statistics().consumers == 0);
  service.service().end();  // does nothing
}

}  // namespace perigee::events::test
