// Durable channels: subscriptions, acknowledgements, and consumers that come back.
#include "event_service.h"
#include "support/temporary_folder.h"
#include <perigee/async.h>
#include <perigee/services/events/client.h>
#include <perigee/services/events/sqlite_store.h>

#include <PerigeeEventsS.h>

#include <future>
#include <memory>
#include <optional>
#include <thread>

namespace perigee::events::test {

namespace {

using DurableRef = IDL::traits<PerigeeEvents::DurableChannel>::ref_type;
using NumberedPullRef = IDL::traits<PerigeeEvents::NumberedPullSupplier>::ref_type;

/// A service with one durable channel, "test".
class DurableService {
 public:
  explicit DurableService(const std::string& file, const Options& options = {},
                          const SqliteEventStoreOptions& store_options = {},
                          const std::vector<std::string>& orb_options = {})
      : store_(open_sqlite_event_store(file, store_options).value()),
        orb_(orb_options),
        service_(orb_.ref(), options) {
    reference_ = orb_->object_to_string(service_.add_durable_channel("test", *store_));
  }
  ~DurableService() { orb_->shutdown(true); }
  DurableService(const DurableService&) = delete;
  DurableService& operator=(const DurableService&) = delete;

  [[nodiscard]] DurableRef channel(const TestOrb& client) const {
    return IDL::traits<PerigeeEvents::DurableChannel>::narrow(client->string_to_object(reference_));
  }
  [[nodiscard]] ChannelStatistics statistics() const { return service_.statistics_of("test"); }
  [[nodiscard]] EventService& service() { return service_; }

 private:
  std::unique_ptr<EventStore> store_;
  TestOrb orb_;
  EventService service_;
  std::string reference_;
};

/// A service in a folder of its own.
struct InFolder {
  perigee::test::TemporaryFolder folder;
  const std::string file = folder.file("events.db");
};

NumberedPullRef connect_numbered(const ChannelRef& subscription) {
  return IDL::traits<PerigeeEvents::NumberedPullSupplier>::narrow(connect_pull(subscription));
}

void push_numbers(const ChannelRef& channel, std::int32_t first, std::int32_t last) {
  const auto supplier = connect_supplier(channel);
  for (std::int32_t number = first; number <= last; ++number) supplier->push(event(number));
  supplier->disconnect_push_consumer();
}

std::int32_t value_of(const CORBA::Any& data) {
  std::int32_t number = -1;
  data >>= number;
  return number;
}

SequenceNumber acknowledged(const DurableRef& channel) {
  return channel->subscriptions().at(0).acknowledged();
}

/// Keeps the numbers of its events, too.
class NumberedConsumer final
    : public CORBA::servant_traits<PerigeeEvents::NumberedPushConsumer>::base_type {
 public:
  void push(const CORBA::Any& /*data*/) override { FAIL("the channel does not send the number"); }
  void push_numbered(std::uint64_t number, const CORBA::Any& data) override {
    const std::scoped_lock lock(mutex_);
    seen_.emplace_back(number, value_of(data));
    changed_.notify_all();
  }
  void disconnect_push_consumer() override {}

  std::vector<std::pair<std::uint64_t, std::int32_t>> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return seen_.size() >= count; });
    return seen_;
  }

 private:
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<std::pair<std::uint64_t, std::int32_t>> seen_;
};

task<std::vector<std::int32_t>> take(ChannelConsumer& consumer, std::size_t count) {
  std::vector<std::int32_t> numbers;
  while (numbers.size() < count) {
    const std::optional<CORBA::Any> next = co_await consumer.next();
    if (!next) break;
    numbers.push_back(value_of(*next));
  }
  co_return numbers;
}

}  // namespace

TEST_CASE("a push consumer that comes back gets the events that it missed") {
  const InFolder in;
  DurableService service(in.file);
  TestOrb client;
  const auto channel = service.channel(client);
  const auto subscription = channel->subscription("printer", false);
  const auto first = CORBA::make_reference<Consumer>();
  const auto proxy = connect(client, subscription, first);
  push_numbers(channel, 1, 3);
  CHECK(first->wait_for(3) == numbers_to(3));
  while (acknowledged(channel) < 3) std::this_thread::yield();
  proxy->disconnect_push_supplier();
  push_numbers(channel, 4, 6);
  const auto second = CORBA::make_reference<Consumer>();
  connect(client, subscription, second);
  CHECK(second->wait_for(3) == std::vector<std::int32_t>{4, 5, 6});
}

TEST_CASE("events and subscriptions survive a restart of the service") {
  const InFolder in;
  TestOrb client;
  {
    DurableService service(in.file);
    const auto channel = service.channel(client);
    (void)channel->subscription("printer", false);
    push_numbers(channel, 1, 3);
    const auto consumer = connect_pull(channel->subscription("printer", false));
    CHECK(pulled(consumer) == 1);
    CHECK(pulled(consumer) == 2);  // acknowledges the first event
  }
  DurableService service(in.file);
  const auto channel = service.channel(client);
  CHECK(channel->subscriptions().size() == 1);
  CHECK(acknowledged(channel) == 1);
  const auto consumer = connect_pull(channel->subscription("printer", true));
  CHECK(pulled(consumer) == 2);
  CHECK(pulled(consumer) == 3);
  push_numbers(channel, 4, 4);
  CHECK(pulled(consumer) == 4);
}

TEST_CASE("the end of the connection acknowledges the last event of a pull consumer") {
  const InFolder in;
  DurableService service(in.file);
  TestOrb client;
  const auto channel = service.channel(client);
  const auto consumer = connect_pull(channel->subscription("s", false));
  push_numbers(channel, 1, 2);
  CHECK(pulled(consumer) == 1);
  consumer->disconnect_pull_supplier();
  while (acknowledged(channel) < 1) std::this_thread::yield();
  CHECK(pulled(connect_pull(channel->subscription("s", false))) == 2);
}

TEST_CASE("a pull of a subscription waits for the next event") {
  const InFolder in;
  DurableService service(in.file);
  TestOrb client;
  TestOrb other;
  const auto consumer = connect_pull(service.channel(client)->subscription("s", false));
  bool has_event = true;
  (void)consumer->try_pull(has_event);
  CHECK_FALSE(has_event);
  auto waiting = std::async(std::launch::async, [&] { return pulled(consumer); });
  push_numbers(service.channel(other), 7, 7);
  CHECK(waiting.get() == 7);
  push_numbers(service.channel(other), 8, 8);
  CHECK(value_of(consumer->try_pull(has_event)) == 8);
  CHECK(has_event);
}

TEST_CASE("a numbered pull can be repeated until its event is acknowledged") {
  const InFolder in;
  DurableService service(in.file);
  TestOrb client;
  const auto channel = service.channel(client);
  const auto consumer = connect_numbered(channel->subscription("s", false));
  push_numbers(channel, 1, 3);
  for (int count = 0; count < 2; ++count) {
    const auto event = consumer->pull_after(0);
    CHECK(event.number() == 1);
    CHECK(value_of(event.data()) == 1);
  }
  CHECK(consumer->pull_after(1).number() == 2);
  CHECK_THROWS_AS((void)consumer->pull_after(3), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(consumer->acknowledge(~std::uint64_t{0}), CORBA::BAD_PARAM);
  consumer->acknowledge(2);
  CHECK(acknowledged(channel) == 2);
  CHECK(consumer->pull_after(2).number() == 3);
}

TEST_CASE("a numbered push consumer gets the number of each event") {
  const InFolder in;
  DurableService service(in.file);
  TestOrb client;
  const auto channel = service.channel(client);
  const auto consumer = CORBA::make_reference<NumberedConsumer>();
  channel->subscription("s", false)
      ->for_consumers()
      ->obtain_push_supplier()
      ->connect_push_consumer(client.activate<PerigeeEvents::NumberedPushConsumer>(consumer));
  push_numbers(channel, 1, 2);
  using Seen = std::vector<std::pair<std::uint64_t, std::int32_t>>;
  CHECK(consumer->wait_for(2) == Seen{{1, 1}, {2, 2}});
}

TEST_CASE("a failed push of a subscription is repeated, also if the consumer may have the event") {
  const InFolder in;
  DurableService service(in.file,
                         {.failures_max = 5, .first_retry_delay = std::chrono::milliseconds(1)});
  TestOrb client;
  std::atomic<int> calls = 0;
  const auto consumer = CORBA::make_reference<Consumer>([&] {
    const int call = ++calls;
    if (call == 1) throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO);
    if (call == 3) throw CORBA::INTERNAL(0, CORBA::COMPLETED_MAYBE);
  });
  const auto channel = service.channel(client);
  connect(client, channel->subscription("s", false), consumer);
  push_numbers(channel, 1, 3);
  CHECK(consumer->wait_for(3) == numbers_to(3));
}

TEST_CASE("a subscription stays when its consumer has failed too often") {
  const InFolder in;
  DurableService service(in.file,
                         {.failures_max = 2, .first_retry_delay = std::chrono::milliseconds(1)});
  TestOrb client;
  const auto channel = service.channel(client);
  const auto failing =
      CORBA::make_reference<Consumer>([] { throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO); });
  connect(client, channel->subscription("s", false), failing);
  push_numbers(channel, 1, 2);
  failing->wait_for_disconnection();
  CHECK(service.statistics().disconnected == 1);
  const auto second = CORBA::make_reference<Consumer>();
  connect(client, channel->subscription("s", false), second);
  CHECK(second->wait_for(2) == numbers_to(2));
}

TEST_CASE("a new consumer of a subscription takes the place of the former one") {
  const InFolder in;
  DurableService service(in.file);
  TestOrb client;
  const auto channel = service.channel(client);
  const auto subscription = channel->subscription("s", false);
  push_numbers(channel, 1, 2);
  const auto former = connect_pull(subscription);
  CHECK(pulled(former) == 1);
  const auto second = connect_pull(subscription);
  CHECK_THROWS_AS((void)former->pull(), CosEventComm::Disconnected);
  CHECK_THROWS_AS((void)former->pull(), CORBA::OBJECT_NOT_EXIST);
  CHECK(pulled(second) == 1);  // the former one has not acknowledged it
}

TEST_CASE("several subscriptions and plain consumers get the same events") {
  const InFolder in;
  DurableService service(in.file, {.overflow = Overflow::block, .queue_events_max = 1'000});
  TestOrb client;
  const auto channel = service.channel(client);
  const auto plain = CORBA::make_reference<Consumer>();
  const auto pulling = connect_pull(channel);
  connect(client, channel, plain);
  const auto durable = CORBA::make_reference<Consumer>();
  connect(client, channel->subscription("one", false), durable);
  const auto other = connect_pull(channel->subscription("two", false));
  push_numbers(channel, 1, 50);
  CHECK(plain->wait_for(50) == numbers_to(50));
  CHECK(durable->wait_for(50) == numbers_to(50));
  for (const std::int32_t number : numbers_to(50)) CHECK(pulled(other) == number);
  for (const std::int32_t number : numbers_to(50)) CHECK(pulled(pulling) == number);
  CHECK(service.statistics().received == 50);
}

TEST_CASE("a subscription begins with the oldest stored event if the client asks for it") {
  const InFolder in;
  DurableService service(in.file);
  TestOrb client;
  const auto channel = service.channel(client);
  push_numbers(channel, 1, 2);
  const auto late = connect_pull(channel->subscription("late", false));
  CHECK(pulled(connect_pull(channel->subscription("early", true))) == 1);
  push_numbers(channel, 3, 3);
  CHECK(pulled(late) == 3);
}

TEST_CASE("hostile names of subscriptions are refused, and odd names work") {
  const InFolder in;
  DurableService service(in.file);
  TestOrb client;
  const auto channel = service.channel(client);
  for (const std::string& name : {std::string(), std::string(256, 'x'), std::string("a/b"),
                                  std::string("a\nb"), std::string("\x7f")})
    CHECK_THROWS_AS((void)channel->subscription(name, false), CORBA::BAD_PARAM);
  CHECK_THROWS_AS((void)channel->subscription(std::string("a\0b", 3), false),
                  CORBA::SystemException);
  for (const std::string& name :
       {std::string("<script>alert(1)"), std::string("%2e.\\\"'"), std::string(255, 'x')})
    CHECK(connect_pull(channel->subscription(name, false)) != nullptr);
  CHECK_THROWS_AS(channel->end_subscription("none"), PerigeeEvents::NoSubscription);
}

TEST_CASE("the end of a subscription disconnects its consumer, and ends its object") {
  const InFolder in;
  DurableService service(in.file);
  TestOrb client;
  const auto channel = service.channel(client);
  const auto subscription = channel->subscription("s", false);
  const auto consumer = CORBA::make_reference<Consumer>();
  connect(client, subscription, consumer);
  CHECK_THROWS_AS(subscription->destroy(), CORBA::NO_PERMISSION);
  channel->end_subscription("s");
  consumer->wait_for_disconnection();
  CHECK(subscription->_non_existent());
  CHECK(channel->subscriptions().empty());
  (void)channel->subscription("s", false);
}

TEST_CASE("clients reach a subscription by its key") {
  const InFolder in;
  DurableService service(in.file);
  TestOrb client;
  const auto object = service.service().add_subscription("test", "printer", Begin::next_event);
  const std::string reference = object->_get_orb()->object_to_string(object);
  push_numbers(service.channel(client), 1, 1);
  const auto consumer = connect_pull(
      IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(client->string_to_object(reference)));
  CHECK(pulled(consumer) == 1);
  CHECK_THROWS_AS((void)service.service().add_subscription("none", "s", Begin::next_event),
                  CORBA::BAD_PARAM);
}

TEST_CASE("a full channel refuses the events of suppliers") {
  const InFolder in;
  DurableService service(in.file, {}, {.events_max = 2, .at_limit = AtLimit::refuse});
  TestOrb client;
  const auto channel = service.channel(client);
  (void)channel->subscription("s", false);
  const auto supplier = connect_supplier(channel);
  supplier->push(event(1));
  supplier->push(event(2));
  CHECK_THROWS_AS(supplier->push(event(3)), CORBA::NO_RESOURCES);
  CHECK(service.statistics().refused == 1);
}

TEST_CASE("a durable channel keeps the events of pull suppliers") {
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
  const InFolder in;
  DurableService service(in.file, {.pull_interval = std::chrono::milliseconds(1)});
  TestOrb client;
  const auto channel = service.channel(client);
  const auto consumer = connect_pull(channel->subscription("s", false));
  channel->for_suppliers()->obtain_pull_consumer()->connect_pull_supplier(
      client.activate<CosEventComm::PullSupplier>(CORBA::make_reference<Supplier>()));
  for (const std::int32_t number : numbers_to(20)) CHECK(pulled(consumer) == number);
}

TEST_CASE("a durable channel keeps an event of 64 MiB") {
  constexpr std::size_t size = 64 << 20;
  const std::vector<std::string> large{"-ORBMessageSizeMax", "80000000"};
  const InFolder in;
  DurableService service(in.file, {.event_octets_max = size + 100}, {}, large);
  TestOrb client(large);
  const auto channel = service.channel(client);
  const auto consumer = connect_pull(channel->subscription("s", false));
  CORBA::Any text;
  text <<= std::string(size, 'x');
  connect_supplier(channel)->push(text);
  std::string pulled_text;
  consumer->pull() >>= pulled_text;
  CHECK(pulled_text.size() == size);
}

TEST_CASE("a consumer task goes on where it was") {
  const InFolder in;
  TestOrb client;
  DurableService service(in.file);
  const auto channel = service.channel(client);
  {
    auto consumer = ChannelConsumer::of_subscription(channel, "s");
    run(client.ref(), consumer.connect());
    push_numbers(channel, 1, 5);
    CHECK(run(client.ref(), take(consumer, 3)) == numbers_to(3));
    CHECK(consumer.number() == 3);
  }  // ends without `disconnect`: the third event is not acknowledged
  {
    auto consumer = ChannelConsumer::of_subscription(channel, "s");
    CHECK(run(client.ref(), take(consumer, 2)) == std::vector<std::int32_t>{3, 4});
    run(client.ref(), consumer.disconnect());
  }
  auto consumer = ChannelConsumer::of_subscription(channel, "s");
  CHECK(run(client.ref(), take(consumer, 1)) == std::vector<std::int32_t>{5});
  run(client.ref(), consumer.disconnect());
  CHECK_THROWS_AS((void)ChannelConsumer::of_subscription(channel, ""), CORBA::BAD_PARAM);
}

TEST_CASE("a shutdown ends a pull of a subscription that waits") {
  const InFolder in;
  TestOrb client;
  std::future<void> waiting;
  {
    DurableService service(in.file);
    const auto consumer = connect_pull(service.channel(client)->subscription("s", false));
    waiting = std::async(std::launch::async,
                         [consumer] { CHECK_THROWS_AS((void)consumer->pull(), CORBA::Exception); });
    // Another call is refused only while the first one waits.
    const auto first_waits = [&consumer] {
      bool has_event = false;
      try {
        (void)consumer->try_pull(has_event);
      } catch (const CORBA::TRANSIENT&) {
        return true;
      }
      return false;
    };
    while (!first_waits()) std::this_thread::yield();
  }
  waiting.get();
}

}  // namespace perigee::events::test
