// Stores in the server of NATS that the variable NATS names. test_stores.py starts it.
#include "services/events_nats/nats_store.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace perigee::events {

namespace {

NatsStoreOptions nats_options(const std::string& prefix) {
  const char* const server = std::getenv("NATS");
  if (server == nullptr) throw std::runtime_error("NATS is not set; start test_stores.py");
  NatsStoreOptions options;
  options.servers = {server};
  options.prefix = prefix;
  options.limits.octets_max = 16 << 20;  // NATS reserves it for each stream
  return options;
}

std::string new_prefix() {
  std::random_device random;
  return "test-" + std::to_string(random()) + "-" + std::to_string(random());
}

/// The events that a listener got.
class Heard {
 public:
  EventListener listener() {
    return [this](const StoredEvent& event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(event);
      changed_.notify_all();
    };
  }
  std::vector<StoredEvent> await(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return events_.size() >= count; });
    return events_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<StoredEvent> events_;
};

/// Waits for the result of a request.
template <typename Value, typename Request>
std::expected<Value, StoreError> result_of(Request request) {
  std::promise<std::expected<Value, StoreError>> promise;
  request(Receive<Value>([&promise](std::expected<Value, StoreError> result) {
    promise.set_value(std::move(result));
  }));
  return promise.get_future().get();
}

/// A store with one open channel.
class Opened {
 public:
  explicit Opened(const std::string& prefix, std::string channel = "news")
      : Opened(nats_options(prefix), std::move(channel)) {}
  Opened(NatsStoreOptions options, std::string channel)
      : channel_(std::move(channel)), store_(open_nats_store(std::move(options)).value()) {
    REQUIRE(store_->open_channel(channel_, heard.listener()));
  }

  std::expected<SequenceNumber, StoreError> append(const std::string& octets) {
    return result_of<SequenceNumber>(
        [&](auto done) { store_->append(channel_, octets, std::move(done)); });
  }
  std::expected<Subscription, StoreError> subscribe(const std::string& name,
                                                    Begin begin = Begin::next_event) {
    return result_of<Subscription>(
        [&](auto done) { store_->subscribe(channel_, name, begin, std::move(done)); });
  }
  std::expected<Subscription, StoreError> position(const std::string& name) {
    return result_of<Subscription>(
        [&](auto done) { store_->position(channel_, name, std::move(done)); });
  }
  std::expected<void, StoreError> unsubscribe(const std::string& name) {
    return result_of<void>(
        [&](auto done) { store_->unsubscribe(channel_, name, std::move(done)); });
  }
  std::expected<void, StoreError> acknowledge(const std::string& name, SequenceNumber number) {
    return result_of<void>(
        [&](auto done) { store_->acknowledge(channel_, name, number, std::move(done)); });
  }
  std::map<std::string, SequenceNumber> list() {
    const auto all = result_of<std::vector<Subscription>>(
        [&](auto done) { store_->subscriptions(channel_, std::move(done)); });
    std::map<std::string, SequenceNumber> numbers;
    for (const Subscription& each : all.value()) numbers[each.name] = each.acknowledged;
    return numbers;
  }
  std::expected<std::vector<StoredEvent>, StoreError> read(const std::string& name,
                                                           SequenceNumber after,
                                                           std::size_t events_max = 1'000'000,
                                                           std::size_t octets_max = 1 << 30) {
    return result_of<std::vector<StoredEvent>>([&](auto done) {
      store_->read(channel_, name, after, events_max, octets_max, std::move(done));
    });
  }
  NatsStore& store() { return *store_; }

  Heard heard;

 private:
  std::string channel_;
  std::unique_ptr<NatsStore> store_;
};

std::string octets_of(const std::vector<StoredEvent>& events) {
  std::string octets;
  for (const StoredEvent& event : events)
    octets += std::to_string(event.number) + "=" + event.octets + " ";
  return octets;
}

}  // namespace

TEST_CASE("events have rising numbers from 1, and the listeners of all stores get them in order") {
  const std::string prefix = new_prefix();
  Opened first(prefix);
  Opened second(prefix);
  CHECK(first.append("a") == 1);
  CHECK(second.append("b") == 2);
  CHECK(first.append(std::string("\0\xff\n", 3)) == 3);
  CHECK(first.append("") == 4);
  for (Opened* const store : {&first, &second})
    CHECK(octets_of(store->heard.await(4)) == std::string("1=a 2=b 3=\0\xff\n 4= ", 17));
}

TEST_CASE("a listener begins with the next event") {
  const std::string prefix = new_prefix();
  {
    Opened first(prefix);
    CHECK(first.append("a") == 1);
  }
  Opened second(prefix);
  CHECK(second.append("b") == 2);
  CHECK(octets_of(second.heard.await(1)) == "2=b ");
}

TEST_CASE("channels with odd keys are different channels") {
  const std::string prefix = new_prefix();
  std::vector<std::unique_ptr<Opened>> opened;
  const std::vector<std::string> keys = {
      "", "a.b", "a-b", "*", ">", "_subscriptions", std::string("\0", 1), std::string(500, 'x')};
  for (const std::string& key : keys) opened.push_back(std::make_unique<Opened>(prefix, key));
  for (const auto& each : opened) CHECK(each->append("only") == 1);
  for (const auto& each : opened) CHECK(octets_of(each->heard.await(1)) == "1=only ");
}

TEST_CASE("a subscription begins with the next event or with the oldest event") {
  Opened store(new_prefix());
  CHECK(store.append("a") == 1);
  store.heard.await(1);
  CHECK(store.subscribe("later").value().acknowledged == 1);
  CHECK(store.subscribe("all", Begin::first_event).value().acknowledged == 0);
  CHECK(store.subscribe("later", Begin::first_event).value().acknowledged == 1);  // found
  CHECK(octets_of(store.read("later", 1).value()).empty());
  CHECK(octets_of(store.read("all", 0).value()) == "1=a ");
}

TEST_CASE("names of subscriptions may have any octets") {
  Opened store(new_prefix());
  const std::vector<std::string> names = {"",
                                          "a.b",
                                          "*",
                                          std::string("\0\n", 2),
                                          "<script>",
                                          std::string(5'000, 'x'),
                                          std::string(5'000, 'y')};
  std::map<std::string, SequenceNumber> expected;
  for (const std::string& name : names) {
    CHECK(store.subscribe(name).value().name == name);
    expected[name] = 0;
  }
  CHECK(store.list() == expected);
}

TEST_CASE("a channel has a limited number of subscriptions") {
  NatsStoreOptions options = nats_options(new_prefix());
  options.subscriptions_max = 2;
  Opened store(std::move(options), "news");
  CHECK(store.subscribe("a"));
  CHECK(store.subscribe("b"));
  CHECK(store.subscribe("c").error().kind == StoreError::Kind::full);
  CHECK(store.unsubscribe("a"));
  CHECK(store.subscribe("c"));
}

TEST_CASE("acknowledged events are done for other stores, and numbers never fall") {
  const std::string prefix = new_prefix();
  Opened first(prefix);
  Opened second(prefix);
  for (const char* const text : {"a", "b", "c"}) CHECK(first.append(text));
  first.heard.await(3);
  second.heard.await(3);
  CHECK(first.subscribe("s", Begin::first_event));
  CHECK(first.acknowledge("s", 2));
  CHECK(first.acknowledge("s", 1));
  CHECK(second.subscribe("s").value().acknowledged == 2);
  CHECK(second.acknowledge("s", 3));
  CHECK(first.acknowledge("s", 1));
  CHECK(first.list().at("s") == 3);
  CHECK(first.acknowledge("s", 1'000'000));  // no further than the events
  CHECK(second.list().at("s") == 3);
}

TEST_CASE("a subscription that does not exist is an error of its own") {
  const std::string prefix = new_prefix();
  Opened first(prefix);
  Opened second(prefix);
  const auto none = StoreError::Kind::no_subscription;
  CHECK(first.read("s", 0).error().kind == none);
  CHECK(first.append("a") == 1);
  first.heard.await(1);
  CHECK(first.acknowledge("s", 1).error().kind == none);
  CHECK(first.unsubscribe("s").error().kind == none);
  CHECK(first.subscribe("s", Begin::first_event));
  CHECK(second.unsubscribe("s"));
  CHECK(first.acknowledge("s", 1).error().kind == none);
  CHECK(first.list().empty());
  CHECK(first.subscribe("s").value().acknowledged == 1);
}

TEST_CASE("events are read in parts, from memory and from the server") {
  const std::string prefix = new_prefix();
  Opened writer(prefix);
  std::string expected;
  for (int number = 1; number <= 200; ++number) {
    CHECK(writer.append("x" + std::to_string(number)) == number);
    expected += std::to_string(number) + "=x" + std::to_string(number) + " ";
  }
  NatsStoreOptions options = nats_options(prefix);
  options.recent_octets_max = 1'000;
  Opened reader(std::move(options), "news");  // has none of the events in memory
  CHECK(reader.append("last") == 201);
  reader.heard.await(1);
  expected += "201=last ";
  CHECK(reader.subscribe("s", Begin::first_event));
  CHECK(octets_of(reader.read("s", 0).value()) == expected);
  CHECK(octets_of(reader.read("s", 199).value()) == "200=x200 201=last ");
  CHECK(octets_of(reader.read("s", 0, 2).value()) == "1=x1 2=x2 ");
  CHECK(octets_of(reader.read("s", 0, 10, 5).value()) == "1=x1 2=x2 ");
  CHECK(octets_of(reader.read("s", 0, 10, 0).value()) == "1=x1 ");
  CHECK(reader.read("s", 201).value().empty());
  CHECK(reader.read("s", ~SequenceNumber{0}).value().empty());
  CHECK(octets_of(writer.read("s", 199).value()).starts_with("200=x200 "));
}

TEST_CASE("events that were removed at a limit are skipped") {
  const std::string prefix = new_prefix();
  NatsStoreOptions options = nats_options(prefix);
  options.limits.events_max = 3;
  options.recent_octets_max = 0;
  Opened store(std::move(options), "news");
  CHECK(store.subscribe("s", Begin::first_event));
  for (int number = 1; number <= 10; ++number) CHECK(store.append("x") == number);
  store.heard.await(10);
  CHECK(octets_of(store.read("s", 0).value()) == "8=x 9=x 10=x ");
}

TEST_CASE("an event that is larger than a message of NATS is refused") {
  Opened store(new_prefix());
  const auto result = store.append(std::string(2 << 20, 'x'));
  CHECK(result.error().kind == StoreError::Kind::too_large);
  CHECK(result.error().text.contains("raise its max_payload"));
  CHECK(store.append("x") == 1);
}

TEST_CASE("the events of one thread are stored in the order of the calls") {
  const std::string prefix = new_prefix();
  Opened first(prefix);
  Opened second(prefix);
  constexpr int count = 2'000;
  const auto append_all = [](Opened& opened, const std::string& mark) {
    std::vector<std::promise<SequenceNumber>> results(count);
    for (int number = 0; number < count; ++number)
      opened.store().append("news", mark + std::to_string(number),
                            [&result = results[static_cast<std::size_t>(number)]](
                                std::expected<SequenceNumber, StoreError> stored) {
                              result.set_value(stored.value_or(0));
                            });
    SequenceNumber before = 0;
    for (auto& result : results) {
      const SequenceNumber number = result.get_future().get();
      CHECK(number > before);
      before = number;
    }
  };
  std::thread other([&] { append_all(second, "s"); });
  append_all(first, "f");
  other.join();
  const auto events = first.heard.await(2 * count);
  CHECK(octets_of(events) == octets_of(second.heard.await(2 * count)));
  std::map<char, int> next;
  for (const StoredEvent& event : events)
    CHECK(std::stoi(event.octets.substr(1)) == next[event.octets[0]]++);
}

TEST_CASE("acknowledgements of two stores at the same time keep the largest number") {
  const std::string prefix = new_prefix();
  Opened first(prefix);
  Opened second(prefix);
  CHECK(first.subscribe("s"));
  for (int number = 1; number <= 100; ++number) CHECK(first.append("x"));
  first.heard.await(100);
  second.heard.await(100);
  const auto acknowledge_all = [](Opened& store) {
    for (SequenceNumber number = 1; number <= 100; ++number) CHECK(store.acknowledge("s", number));
  };
  std::thread other([&] { acknowledge_all(second); });
  acknowledge_all(first);
  other.join();
  CHECK(first.list().at("s") == 100);
}

TEST_CASE("requests above the limit get the error busy, and each request of a store has a result") {
  std::atomic<int> busy = 0;
  std::atomic<int> results = 0;
  {
    NatsStoreOptions options = nats_options(new_prefix());
    options.waiting_max = 10;
    Opened store(std::move(options), "news");
    for (int number = 0; number < 1'000; ++number)
      store.store().append("news", "x", [&](const std::expected<SequenceNumber, StoreError>& done) {
        ++results;
        if (!done && done.error().kind == StoreError::Kind::busy) ++busy;
      });
  }
  CHECK(results == 1'000);
  CHECK(busy > 0);
}

TEST_CASE("mistakes in the options are errors") {
  const auto text_of = [](auto change) {
    NatsStoreOptions options = nats_options("test");
    change(options);
    return open_nats_store(std::move(options)).error().text;
  };
  CHECK(text_of([](auto& options) { options.servers.clear(); }) ==
        "no server of NATS is named; name one as nats://<host>:<port>");
  CHECK(text_of([](auto& options) { options.servers = {"http://u:p@h"}; }) ==
        "'http://h' is not the address of a server; write nats://<host>:<port> or "
        "tls://<host>:<port>");
  CHECK(text_of([](auto& options) { options.prefix = "a.b"; }).starts_with("the prefix of NATS"));
  CHECK(text_of([](auto& options) { options.replicas = 6; }) ==
        "a stream of NATS has 1 to 5 replicas");
  CHECK(text_of([](auto& options) { options.key = "x"; }).contains("needs its key"));
  CHECK(text_of([](auto& options) { options.authorities = "x"; }).contains("need TLS"));
  CHECK(text_of([](auto& options) {
          options.limits.age_max = std::chrono::seconds(19);
        }).contains("at least 20 s (--store-age-max)"));
}

TEST_CASE("a channel can be opened again with another listener, and with none") {
  Opened store(new_prefix());
  Heard second;
  CHECK(store.append("a") == 1);
  CHECK(store.store().open_channel("news", second.listener()));
  CHECK(store.append("b") == 2);
  CHECK(octets_of(second.await(1)) == "2=b ");
  CHECK(store.store().open_channel("news", nullptr));
  CHECK(store.append("c") == 3);
  CHECK(octets_of(store.heard.await(1)) == "1=a ");
}

TEST_CASE("a store reads the position that another store has given a subscription") {
  const std::string prefix = new_prefix();
  Opened first(prefix);
  Opened second(prefix);
  for (const char* const text : {"a", "b", "c"}) CHECK(first.append(text));
  second.heard.await(3);
  CHECK(first.subscribe("s", Begin::first_event));
  CHECK(first.acknowledge("s", 3));
  CHECK(second.unsubscribe("s"));
  CHECK(second.subscribe("s", Begin::first_event).value().acknowledged == 0);
  CHECK(first.position("s").value().acknowledged == 0);
  CHECK(first.acknowledge("s", 1));
  CHECK(second.position("s").value().acknowledged == 1);
  CHECK(first.position("t").error().kind == StoreError::Kind::no_subscription);
}

TEST_CASE("only open channels accept requests") {
  Opened store(new_prefix());
  const auto closed = result_of<SequenceNumber>(
      [&](auto done) { store.store().append("other", "x", std::move(done)); });
  CHECK(closed.error().text ==
        "the channel 'other' is not open; call open_channel before other functions");
}

}  // namespace perigee::events
