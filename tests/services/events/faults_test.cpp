// Consumers that are slow, hang, throw or are gone, and suppliers that send too much.
#include "event_service.h"
#include <perigee/async.h>
#include <perigee/services/events/client.h>

#include <future>
#include <latch>
#include <thread>

namespace perigee::events::test {

namespace {

/// Fills the queue of a pull consumer that takes nothing.
struct Full {
  explicit Full(Overflow overflow) : service({.overflow = overflow, .queue_events_max = 3}) {
    consumer = connect_pull(service.channel(client));
    supplier = connect_supplier(service.channel(client));
    for (const std::int32_t number : numbers_to(3)) supplier->push(event(number));
  }
  Service service;
  TestOrb client;
  PullProxyRef consumer;
  PushProxyRef supplier;
};

struct FakeClock final : Clock {
  [[nodiscard]] TimePoint now() const noexcept override { return TimePoint(time.load()); }
  std::atomic<Duration> time{Duration{0}};
};

CORBA::Any text(std::size_t size, char letter) {
  CORBA::Any any;
  any <<= std::string(size, letter);
  return any;
}

std::string pulled_text(const PullProxyRef& proxy) {
  std::string value;
  proxy->pull() >>= value;
  return value;
}

task<void> push(ChannelSupplier& supplier, std::int32_t number) {
  (void)co_await supplier.push(event(number));
}

/// Pushes events without waiting for the replies.
task<void> push_at_once(ChannelSupplier& supplier, std::int32_t last) {
  scope pushes;
  for (const std::int32_t number : numbers_to(last)) pushes.start(push(supplier, number));
  co_await pushes.join();
}

}  // namespace

TEST_CASE("a full queue drops the oldest event") {
  Full full(Overflow::drop_oldest);
  full.supplier->push(event(4));
  CHECK(pulled(full.consumer) == 2);
  CHECK(full.service.statistics().dropped == 1);
}

TEST_CASE("a full queue drops the newest event") {
  Full full(Overflow::drop_newest);
  full.supplier->push(event(4));
  CHECK(pulled(full.consumer) == 1);
  CHECK(full.service.statistics().dropped == 1);
}

TEST_CASE("a full queue lets the supplier wait") {
  Full full(Overflow::block);
  auto waiting = std::async(std::launch::async, [&] { full.supplier->push(event(4)); });
  while (full.service.statistics().received < 4) std::this_thread::yield();
  CHECK(waiting.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
  for (const std::int32_t number : numbers_to(4)) CHECK(pulled(full.consumer) == number);
  waiting.get();
  CHECK(full.service.statistics().dropped == 0);
}

TEST_CASE("a supplier that waits gets its reply when the consumer leaves") {
  Full full(Overflow::block);
  auto waiting = std::async(std::launch::async, [&] { full.supplier->push(event(4)); });
  while (full.service.statistics().received < 4) std::this_thread::yield();
  full.consumer->disconnect_pull_supplier();
  waiting.get();  // the event has no consumer any longer
  CHECK(full.service.statistics().consumers == 0);
}

TEST_CASE("a shutdown ends a push that waits for room") {
  Full full(Overflow::block);
  auto waiting = std::async(std::launch::async, [&] { full.supplier->push(event(4)); });
  while (full.service.statistics().received < 4) std::this_thread::yield();
  full.service.shut_down();
  waiting.get();  // the reply comes before the connection ends
}

TEST_CASE("a full queue disconnects the consumer") {
  Full full(Overflow::disconnect);
  full.supplier->push(event(4));
  CHECK_THROWS_AS((void)full.consumer->pull(), CosEventComm::Disconnected);
}

TEST_CASE("a consumer that hangs does not delay the others") {
  std::latch released(1);  // ends after the ORBs, whose threads wait for it
  Service service({.call_time_max = std::chrono::hours(1)});
  TestOrb client;
  const auto channel = service.channel(client);
  const auto hanging = CORBA::make_reference<Consumer>([&] { released.wait(); });
  const auto other = CORBA::make_reference<Consumer>();
  TestOrb hanging_client;
  connect(hanging_client, service.channel(hanging_client), hanging);
  connect(client, channel, other);
  const auto supplier = connect_supplier(channel);
  for (const std::int32_t number : numbers_to(50)) supplier->push(event(number));
  CHECK(other->wait_for(50) == numbers_to(50));
  released.count_down();
  CHECK(hanging->wait_for(50) == numbers_to(50));
}

TEST_CASE("a consumer that fails again and again is disconnected") {
  Service service({.failures_max = 3, .first_retry_delay = std::chrono::milliseconds(1)});
  TestOrb client;
  const auto channel = service.channel(client);
  const auto failing =
      CORBA::make_reference<Consumer>([] { throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO); });
  connect(client, channel, failing);
  connect_supplier(channel)->push(event(1));
  failing->wait_for_disconnection();
  CHECK(service.statistics().disconnected == 1);
  CHECK(service.statistics().consumers == 0);
}

TEST_CASE("an event is sent again only if the consumer has certainly not got it") {
  Service service({.failures_max = 5, .first_retry_delay = std::chrono::milliseconds(1)});
  TestOrb client;
  std::atomic<int> calls = 0;
  const auto channel = service.channel(client);
  const auto consumer = CORBA::make_reference<Consumer>([&] {
    const int call = ++calls;
    if (call == 1) throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO);
    if (call == 3) throw CORBA::INTERNAL(0, CORBA::COMPLETED_MAYBE);
  });
  connect(client, channel, consumer);
  const auto supplier = connect_supplier(channel);
  for (const std::int32_t number : numbers_to(3)) supplier->push(event(number));
  CHECK(consumer->wait_for(2) == std::vector<std::int32_t>{1, 3});
  CHECK(service.statistics().dropped == 1);
}

TEST_CASE("a consumer that is gone is disconnected") {
  Service service({.first_retry_delay = std::chrono::milliseconds(1)});
  TestOrb client;
  const auto channel = service.channel(client);
  auto gone = std::make_unique<TestOrb>();
  connect(*gone, service.channel(*gone), CORBA::make_reference<Consumer>());
  const auto supplier = connect_supplier(channel);
  gone.reset();
  supplier->push(event(1));
  while (service.statistics().consumers != 0) std::this_thread::yield();
  CHECK(service.statistics().disconnected == 1);
}

TEST_CASE("events in a queue have a limit of octets, and one event of any size fits") {
  Service service({.queue_octets_max = 1'000});
  TestOrb client;
  const auto consumer = connect_pull(service.channel(client));
  const auto supplier = connect_supplier(service.channel(client));
  for (const char letter : {'a', 'b', 'c'}) supplier->push(text(400, letter));
  CHECK(pulled_text(consumer) == std::string(400, 'b'));
  supplier->push(text(5'000, 'd'));
  CHECK(service.statistics().dropped == 2);
  CHECK(pulled_text(consumer) == std::string(5'000, 'd'));
  CHECK(service.statistics().waiting_octets == 0);
}

TEST_CASE("suppliers that wait keep the order of their events") {
  Service service({.overflow = Overflow::block, .queue_events_max = 1});
  TestOrb client;
  TestOrb other;
  const auto consumer = connect_pull(service.channel(other));
  ChannelSupplier supplier(service.channel(client));
  run(client.ref(), supplier.connect());
  auto pushing =
      std::async(std::launch::async, [&] { run(client.ref(), push_at_once(supplier, 200)); });
  for (const std::int32_t number : numbers_to(200)) CHECK(pulled(consumer) == number);
  pushing.get();
}

TEST_CASE("an event of 64 MiB reaches its consumers, and larger ones are refused") {
  constexpr std::size_t size = 64 << 20;
  Service service({.event_octets_max = size + 100}, {"-ORBMessageSizeMax", "80000000"});
  TestOrb client({"-ORBMessageSizeMax", "80000000"});
  const auto consumer = connect_pull(service.channel(client));
  const auto supplier = connect_supplier(service.channel(client));
  supplier->push(text(size, 'x'));
  CHECK(pulled_text(consumer).size() == size);
  CHECK_THROWS_AS(supplier->push(text(size + 100, 'x')), CORBA::IMP_LIMIT);
  CHECK(service.statistics().refused == 1);
  supplier->push(event(1));
  CHECK(pulled(consumer) == 1);
}

TEST_CASE("a stopped consumer among 1,000 does not stop the others") {
  std::latch released(1);  // ends after the ORBs, whose threads wait for it
  Service service({.queue_events_max = 10, .call_time_max = std::chrono::hours(1)});
  TestOrb client;
  TestOrb stopped_client;
  const auto channel = service.channel(client);
  const auto stopped = CORBA::make_reference<Consumer>([&] { released.wait(); });
  connect(stopped_client, service.channel(stopped_client), stopped);
  std::vector<CORBA::servant_reference<Consumer>> others;
  for (int count = 0; count < 999; ++count) {
    others.push_back(CORBA::make_reference<Consumer>());
    connect(client, channel, others.back());
  }
  const auto supplier = connect_supplier(channel);
  for (const std::int32_t number : numbers_to(20)) {
    supplier->push(event(number));
    for (const auto& other : others) (void)other->wait_for(static_cast<std::size_t>(number));
  }
  for (const auto& other : others) CHECK(other->wait_for(20) == numbers_to(20));
  CHECK(service.statistics().consumers == 1'000);
  CHECK(service.statistics().dropped > 0);  // of the stopped consumer
  released.count_down();
}

TEST_CASE("channels and proxies have limits") {
  Service service({.proxies_max = 2, .channels_max = 1});
  TestOrb client;
  CHECK_THROWS_AS((void)service.service().add_channel("second"), CORBA::NO_RESOURCES);
  const auto channel = service.channel(client);
  connect_supplier(channel);
  const auto consumer = connect_pull(channel);
  CHECK_THROWS_AS((void)channel->for_suppliers()->obtain_pull_consumer(), CORBA::NO_RESOURCES);
  consumer->disconnect_pull_supplier();
  (void)channel->for_suppliers()->obtain_pull_consumer();
}

TEST_CASE("a pull supplier that fails again and again is disconnected") {
  class Supplier final : public CORBA::servant_traits<CosEventComm::PullSupplier>::base_type {
   public:
    CORBA::Any pull() override { throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO); }
    CORBA::Any try_pull(bool&) override { return pull(); }
    void disconnect_pull_supplier() override { disconnected.count_down(); }
    std::latch disconnected{1};
  };
  Service service({.pull_interval = std::chrono::milliseconds(1)});
  TestOrb client;
  const auto supplier = CORBA::make_reference<Supplier>();
  service.channel(client)->for_suppliers()->obtain_pull_consumer()->connect_pull_supplier(
      client.activate<CosEventComm::PullSupplier>(supplier));
  supplier->disconnected.wait();
  CHECK(service.statistics().disconnected == 1);
  CHECK(service.statistics().suppliers == 0);
}

TEST_CASE("events beyond the limits are refused") {
  Service service({.event_octets_max = 4'000, .waiting_octets_max = 10'000});
  TestOrb client;
  const auto consumer = connect_pull(service.channel(client));
  const auto supplier = connect_supplier(service.channel(client));
  CHECK_THROWS_AS(supplier->push(text(5'000, 'x')), CORBA::IMP_LIMIT);
  supplier->push(text(3'900, 'x'));
  supplier->push(text(3'900, 'x'));
  CHECK_THROWS_AS(supplier->push(text(3'900, 'x')), CORBA::TRANSIENT);
  (void)consumer->pull();
  supplier->push(text(3'900, 'x'));
  CHECK(service.statistics().waiting_octets < 10'000);
}

TEST_CASE("unused proxies end when new proxies need their places") {
  FakeClock clock;
  Service service({.proxies_max = 3, .clock = &clock});
  TestOrb client;
  const auto channel = service.channel(client);
  const auto connected = connect_supplier(channel);
  const auto unused = channel->for_suppliers()->obtain_push_consumer();
  (void)channel->for_consumers()->obtain_pull_supplier();
  CHECK_THROWS_AS((void)channel->for_suppliers()->obtain_push_consumer(), CORBA::NO_RESOURCES);
  clock.time = std::chrono::hours(1);
  (void)channel->for_suppliers()->obtain_push_consumer();
  CHECK(unused->_non_existent());
  connected->push(event(1));
  clock.time = std::chrono::hours(26);
  (void)channel->for_suppliers()->obtain_push_consumer();
  (void)channel->for_suppliers()->obtain_push_consumer();
  CHECK(connected->_non_existent());  // the supplier has not called its proxy for a day
}

TEST_CASE("a pull consumer that takes nothing does not stop the channel for ever") {
  FakeClock clock;
  Service service({.overflow = Overflow::block, .queue_events_max = 1, .clock = &clock});
  TestOrb client;
  const auto consumer = connect_pull(service.channel(client));
  const auto supplier = connect_supplier(service.channel(client));
  supplier->push(event(1));
  auto waiting = std::async(std::launch::async, [&] { supplier->push(event(2)); });
  while (waiting.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout)
    clock.time = clock.time.load() + std::chrono::seconds(31);
  waiting.get();
  CHECK(service.statistics().consumers == 0);
  CHECK_THROWS_AS((void)consumer->pull(), CosEventComm::Disconnected);
}

TEST_CASE("the number of waiting pull calls of one consumer is limited") {
  Service service({.pulls_per_proxy_max = 1});
  TestOrb client;
  TestOrb other;
  const auto first = connect_pull(service.channel(client));
  const auto supplier = connect_supplier(service.channel(other));
  auto waiting = std::async(std::launch::async, [&] { return pulled(first); });
  // Of two calls of one proxy, one call waits, and the other call is refused.
  auto second = std::async(std::launch::async, [&] { return pulled(first); });
  while (waiting.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout &&
         second.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout)
    continue;
  auto& refused =
      waiting.wait_for(std::chrono::seconds(0)) == std::future_status::ready ? waiting : second;
  auto& served = &refused == &waiting ? second : waiting;
  CHECK_THROWS_AS((void)refused.get(), CORBA::TRANSIENT);
  supplier->push(event(1));
  CHECK(served.get() == 1);
}

TEST_CASE("a pull that has waited for too long raises TRANSIENT") {
  FakeClock clock;
  Service service({.clock = &clock});
  TestOrb client;
  const auto consumer = connect_pull(service.channel(client));
  auto waiting = std::async(std::launch::async,
                            [&] { CHECK_THROWS_AS((void)consumer->pull(), CORBA::TRANSIENT); });
  while (waiting.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout)
    clock.time = clock.time.load() + std::chrono::seconds(61);
  waiting.get();
  connect_supplier(service.channel(client))->push(event(1));
  CHECK(pulled(consumer) == 1);
}

TEST_CASE("a proxy of a channel is no supplier or consumer of this channel") {
  Service service;
  TestOrb client;
  const auto channel = service.channel(client);
  const auto supplier = connect_supplier(channel);
  CHECK_THROWS_AS(channel->for_consumers()->obtain_push_supplier()->connect_push_consumer(supplier),
                  CORBA::BAD_PARAM);
  const auto consumer = connect_pull(channel);
  CHECK_THROWS_AS(channel->for_suppliers()->obtain_pull_consumer()->connect_pull_supplier(consumer),
                  CORBA::BAD_PARAM);
}

TEST_CASE("two channels that pass events to each other let the service do other work") {
  Service service({}, {"-ORBThreadStrategy", "thread-pool", "-ORBThreads", "1"});
  TestOrb client;
  const auto first = service.channel(client);
  const auto second = IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(
      client->string_to_object(client->object_to_string(service.service().add_channel("second"))));
  const auto to_second = connect_supplier(second);
  first->for_consumers()->obtain_push_supplier()->connect_push_consumer(to_second);
  const auto to_first = connect_supplier(first);
  second->for_consumers()->obtain_push_supplier()->connect_push_consumer(to_first);
  connect_supplier(first)->push(event(1));
  const auto consumer = connect_pull(first);
  for (int count = 0; count < 100; ++count) CHECK(pulled(consumer) == 1);
}

TEST_CASE("the objects of a destroyed channel end with it") {
  Service service({.may_destroy = true});
  TestOrb client;
  const auto channel = service.channel(client);
  const auto suppliers = channel->for_suppliers();
  const auto consumers = channel->for_consumers();
  channel->destroy();
  CHECK_THROWS_AS((void)suppliers->obtain_push_consumer(), CORBA::OBJECT_NOT_EXIST);
  CHECK_THROWS_AS((void)consumers->obtain_pull_supplier(), CORBA::OBJECT_NOT_EXIST);
}

TEST_CASE("add_channel fails if the key is in use, and leaves no channel behind") {
  TestOrb server;
  const auto named =
      IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("INSPOA"));
  const auto id = PortableServer::string_to_ObjectId("taken");
  named->activate_object_with_id(id, CORBA::make_reference<Consumer>());
  EventService service(server.ref(), {.channels_max = 1});
  CHECK_THROWS_AS((void)service.add_channel("taken"), CORBA::BAD_PARAM);
  CHECK_THROWS_AS((void)service.statistics_of("taken"), CORBA::BAD_PARAM);
  (void)service.add_channel("free");
  server->shutdown(true);
}

TEST_CASE("a pull supplier whose events are too large is disconnected") {
  class Supplier final : public CORBA::servant_traits<CosEventComm::PullSupplier>::base_type {
   public:
    CORBA::Any pull() override { return text(5'000, 'x'); }
    CORBA::Any try_pull(bool& has_event) override {
      has_event = true;
      return pull();
    }
    void disconnect_pull_supplier() override { disconnected.count_down(); }
    std::latch disconnected{1};
  };
  Service service({.event_octets_max = 4'000, .pull_interval = std::chrono::milliseconds(1)});
  TestOrb client;
  const auto supplier = CORBA::make_reference<Supplier>();
  service.channel(client)->for_suppliers()->obtain_pull_consumer()->connect_pull_supplier(
      client.activate<CosEventComm::PullSupplier>(supplier));
  supplier->disconnected.wait();
  CHECK(service.statistics().refused == 3);
}

}  // namespace perigee::events::test
