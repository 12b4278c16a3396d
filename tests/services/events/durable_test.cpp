// Durable channels: subscriptions, acknowledgements, and consumers that come back.
#include "event_service.h"
#include "support/fake_clock.h"
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

/// A store in a file whose requests fail as long as the test says so.
class FailingStore final : public EventStore {
 public:
  explicit FailingStore(std::unique_ptr<EventStore> store) : store_(std::move(store)) {}

  std::expected<void, StoreError> open_channel(const std::string& channel,
                                               EventListener listener) override {
    return store_->open_channel(channel, std::move(listener));
  }
  void append(const std::string& channel, std::string octets,
              Receive<SequenceNumber> done) override {
    store_->append(channel, std::move(octets), std::move(done));
  }
  void subscribe(const std::string& channel, const std::string& name, Begin begin,
                 Receive<Subscription> done) override {
    store_->subscribe(channel, name, begin, std::move(done));
  }
  void unsubscribe(const std::string& channel, const std::string& name,
                   Receive<void> done) override {
    store_->unsubscribe(channel, name, std::move(done));
  }
  void subscriptions(const std::string& channel, Receive<std::vector<Subscription>> done) override {
    store_->subscriptions(channel, std::move(done));
  }
  void acknowledge(const std::string& channel, const std::string& name, SequenceNumber number,
                   Receive<void> done) override {
    if (--acknowledgements_that_fail >= 0)
      done(std::unexpected(StoreError{StoreError::Kind::busy, "the test lets it fail"}));
    else
      store_->acknowledge(channel, name, number, std::move(done));
  }
  void read(const std::string& channel, const std::string& name, SequenceNumber after,
            std::size_t events_max, std::size_t octets_max,
            Receive<std::vector<StoredEvent>> done) override {
    if (reads_fail) {
      ++failed_reads;
      done(std::unexpected(StoreError{StoreError::Kind::busy, "the test lets it fail"}));
    } else {
      store_->read(channel, name, after, events_max, octets_max, std::move(done));
    }
  }

  std::atomic<int> acknowledgements_that_fail = 0;
  std::atomic<bool> reads_fail = false;
  std::atomic<int> failed_reads = 0;

 private:
  const std::unique_ptr<EventStore> store_;
};

/// A service with one durable channel, "test".
class DurableService {
 public:
  explicit DurableService(const std::string& file, const Options& options = {},
                          const SqliteEventStoreOptions& store_options = {},
                          const std::vector<std::string>& orb_options = {})
      : store_(
            std::make_unique<FailingStore>(open_sqlite_event_store(file, store_options).value())),
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
  [[nodiscard]] FailingStore& store() { return *store_; }
  /// The channel, for calls within the process of the service.
  [[nodiscard]] DurableRef own_channel() const { return channel(orb_); }

 private:
  std::unique_ptr<FailingStore> store_;
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

TEST_CASE("a new consumer of a subscription takes the place of the former consumer") {
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
  CHECK(pulled(second) == 1);  // the former consumer has not acknowledged the event
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

TEST_CASE("an acknowledgement that the store could not keep is kept later") {
  const InFolder in;
  DurableService service(in.file, {.retry_delay_max = std::chrono::milliseconds(1)},
                         {.events_max = 1, .at_limit = AtLimit::refuse});
  TestOrb client;
  const auto channel = service.channel(client);
  const auto consumer = CORBA::make_reference<Consumer>();
  connect(client, channel->subscription("s", false), consumer);
  service.store().acknowledgements_that_fail = 3;
  push_numbers(channel, 1, 1);
  CHECK(consumer->wait_for(1) == numbers_to(1));
  while (acknowledged(channel) < 1) std::this_thread::yield();
  push_numbers(channel, 2, 2);  // the channel is not full any more
  CHECK(consumer->wait_for(2) == numbers_to(2));
}

TEST_CASE("the end of a consumer does not wait for the next attempt to read") {
  const InFolder in;
  DurableService service(in.file, {.first_retry_delay = std::chrono::hours(1),
                                   .retry_delay_max = std::chrono::hours(1)});
  TestOrb client;
  const auto subscription = service.channel(client)->subscription("s", false);
  const auto former = connect_pull(subscription);
  service.store().reads_fail = true;
  auto waiting = std::async(std::launch::async, [&former] {
    CHECK_THROWS_AS((void)former->pull(), CosEventComm::Disconnected);
  });
  while (service.store().failed_reads == 0) std::this_thread::yield();
  const auto second = connect_pull(subscription);
  waiting.get();
}

TEST_CASE("consumers that take each other's place do not stop the search for unused proxies") {
  const InFolder in;
  perigee::test::FakeClock clock;
  DurableService service(
      in.file, {.proxies_max = 3, .unconnected_max = std::chrono::seconds(1), .clock = &clock}, {},
      {"-ORBThreadStrategy", "thread-pool"});
  TestOrb client;
  const auto subscription = service.channel(client)->subscription("s", false);
  std::atomic<int> running = 2;
  const auto take_place = [&] {
    for (int count = 0; count < 300 && running == 2; ++count) {
      try {
        (void)connect_pull(subscription)->pull();
      } catch (const CORBA::Exception& exception) {  // disconnected, or all places are taken
        CAPTURE(exception.what());
      }
    }
    --running;
  };
  auto first = std::async(std::launch::async, take_place);
  auto second = std::async(std::launch::async, take_place);
  while (running > 0) {
    clock.advance(std::chrono::seconds(2));  // the next search may begin
    try {
      (void)subscription->for_consumers()->obtain_pull_supplier();
    } catch (const CORBA::NO_RESOURCES& exception) {
      CAPTURE(exception.what());
    }
  }
}

TEST_CASE("a client that no rule admits can neither make, end nor use a subscription") {
  const InFolder in;
  DurableService service(in.file, {.may_destroy = true, .may_supply = {}, .may_consume = {}});
  TestOrb client;
  const auto own = service.own_channel();
  const auto own_subscription = own->subscription("s", false);
  const auto own_consumer = connect_numbered(own_subscription);
  const auto channel = service.channel(client);
  CHECK_THROWS_AS((void)channel->subscription("s", false), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS(channel->end_subscription("s"), CORBA::NO_PERMISSION);
  const auto subscription = IDL::traits<CosEventChannelAdmin::EventChannel>::narrow(
      client->string_to_object(client->object_to_string(own_subscription)));
  CHECK_THROWS_AS(subscription->destroy(), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS((void)subscription->for_consumers()->obtain_push_supplier(),
                  CORBA::NO_PERMISSION);
  CHECK_THROWS_AS((void)subscription->for_consumers()->obtain_pull_supplier(),
                  CORBA::NO_PERMISSION);
  const auto consumer = IDL::traits<PerigeeEvents::NumberedPullSupplier>::unchecked_narrow(
      client->string_to_object(client->object_to_string(own_consumer)));
  CHECK_THROWS_AS((void)consumer->pull(), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS((void)consumer->pull_after(0), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS(consumer->acknowledge(0), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS(consumer->disconnect_pull_supplier(), CORBA::NO_PERMISSION);
  push_numbers(own, 1, 1);
  CHECK(pulled(own_consumer) == 1);
}

TEST_CASE("the end of the service tells the consumers of subscriptions") {
  const InFolder in;
  DurableService service(in.file);
  TestOrb client;
  const auto consumer = CORBA::make_reference<Consumer>();
  connect(client, service.channel(client)->subscription("s", false), consumer);
  service.service().end();
  CHECK(consumer->is_disconnected());
}

TEST_CASE("many events that the store reports together reach a plain consumer in order") {
  const InFolder in;
  DurableService service(in.file, {.queue_events_max = 10'000});
  TestOrb client;
  const auto channel = service.channel(client);
  const auto subscription = channel->subscription("s", false);
  const auto consumer = CORBA::make_reference<Consumer>();
  connect(client, channel, consumer);
  push_numbers(channel, 1, 2);
  std::promise<std::vector<StoredEvent>> read;
  service.store().read("test", "s", 0, 2, 1 << 20,
                       [&read](auto events) { read.set_value(std::move(*events)); });
  const std::vector<StoredEvent> events = read.get_future().get();
  std::vector<std::int32_t> expected = numbers_to(2);
  for (std::size_t count = 0; count < 500; ++count) {
    const std::size_t index = count % 3 == 0 ? 0 : 1;
    expected.push_back(index == 0 ? 1 : 2);
    service.store().append("test", events.at(index).octets,
                           [](const auto& result) { CHECK(result); });
  }
  CHECK(consumer->wait_for(expected.size()) == expected);
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

TEST_CASE("a consumer task of a subscription continues after the last acknowledged event") {
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
  std::atomic<bool> is_waiting = false;
  std::future<void> waiting;
  {
    DurableService service(in.file);
    const auto consumer = connect_pull(service.channel(client)->subscription("s", false));
    waiting = std::async(std::launch::async, [consumer, &is_waiting] {
      // A pull is refused while a call of try_pull reads the store.
      do CHECK_THROWS_AS((void)consumer->pull(), CORBA::Exception);
      while (!is_waiting);
    });
    // Another call is refused only while the first call waits.
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
    is_waiting = true;
  }
  waiting.get();
}

}  // namespace perigee::events::test
