// Push consumers that get several calls at a time.
#include "event_service.h"
#include <perigee/orb/calls_in_order.h>

#include <atomic>
#include <latch>
#include <thread>

namespace perigee::events::test {

namespace {

using Words = std::vector<std::string>;

const Words in_order{"-ORBRequestOrder", "connection"};
/// With this strategy, the service makes several calls at a time.
const Words one_thread_for_each_loop{"-ORBThreadStrategy", "reactor-per-core"};

Options several() {
  return {.pushes_per_consumer_max = 8, .first_retry_delay = std::chrono::milliseconds(1)};
}

/// A consumer that gets ten events. Its first call ends when all events wait in the channel: then
/// the next calls come together. `fails` says whether a call, by its number, raises TRANSIENT.
class TenEvents {
 public:
  explicit TenEvents(bool (*fails)(int call))
      : consumer_(CORBA::make_reference<Consumer>([this, fails] {
          const int call = ++calls_;
          if (call == 1) released_.wait();
          if (fails(call)) throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO);
        })) {
    connect(client_, service_.channel(client_), consumer_);
    TestOrb supplying;
    const auto supplier = connect_supplier(service_.channel(supplying));
    for (const std::int32_t number : numbers_to(10)) supplier->push(event(number));
    released_.count_down();
  }

  std::vector<std::int32_t> wait_for(std::size_t count) { return consumer_->wait_for(count); }
  /// Waits until the channel has counted all ten events.
  ChannelStatistics end() {
    for (;;) {
      const ChannelStatistics numbers = service_.statistics();
      if (numbers.delivered + numbers.dropped == 10) return numbers;
      std::this_thread::yield();
    }
  }

 private:
  std::latch released_{1};  // ends after the ORBs, whose threads wait for it
  std::atomic<int> calls_ = 0;
  const CORBA::servant_reference<Consumer> consumer_;
  Service service_{several(), one_thread_for_each_loop};
  TestOrb client_{in_order};
};

/// Three consumers in one process get 200 events.
void check_order(const Words& service_options) {
  Service service(several(), service_options);
  TestOrb client(in_order);
  const auto channel = service.channel(client);
  std::vector<CORBA::servant_reference<Consumer>> consumers;
  for (int count = 0; count < 3; ++count) {
    consumers.push_back(CORBA::make_reference<Consumer>());
    connect(client, channel, consumers.back());
  }
  const auto supplier = connect_supplier(channel);
  for (const std::int32_t number : numbers_to(200)) supplier->push(event(number));
  for (const auto& consumer : consumers) CHECK(consumer->wait_for(200) == numbers_to(200));
}

}  // namespace

TEST_CASE("a consumer gets events in order although several calls are in progress") {
  check_order(one_thread_for_each_loop);
}

TEST_CASE("a consumer gets events in order from a service with several threads for each loop") {
  check_order({"-ORBThreadStrategy", "thread-pool", "-ORBThreads", "4"});
}

TEST_CASE("a consumer gets events in order although a connection has room for few calls") {
  check_order({"-ORBThreadStrategy", "reactor-per-core", "-ORBRequestsInFlightMax", "4"});
}

TEST_CASE("calls are in order up to the limit of a connection if each loop has one thread") {
  const TestOrb alone({"-ORBThreadStrategy", "reactor-per-core", "-ORBRequestsInFlightMax", "50"});
  const TestOrb several_threads({"-ORBThreadStrategy", "thread-pool", "-ORBThreads", "4"});
  CHECK(orb::calls_in_order_max(alone.ref()) == 50);
  CHECK(orb::calls_in_order_max(several_threads.ref()) == 1);
}

TEST_CASE("an event that fails is dropped if the consumer already has a later event") {
  TenEvents ten([](int call) { return call == 3; });
  CHECK(ten.wait_for(9) == std::vector<std::int32_t>{1, 2, 4, 5, 6, 7, 8, 9, 10});
  const ChannelStatistics numbers = ten.end();
  CHECK(numbers.dropped == 1);
  CHECK(numbers.delivered == 9);
}

TEST_CASE("events that fail together are sent again in their order") {
  TenEvents ten([](int call) { return call >= 2 && call <= 9; });
  CHECK(ten.wait_for(10) == numbers_to(10));
  CHECK(ten.end().dropped == 0);
}

TEST_CASE("a consumer that always fails is disconnected although several calls are in progress") {
  Service service({.pushes_per_consumer_max = 4,
                   .failures_max = 2,
                   .first_retry_delay = std::chrono::milliseconds(1)},
                  one_thread_for_each_loop);
  TestOrb client(in_order);
  const auto channel = service.channel(client);
  const auto failing =
      CORBA::make_reference<Consumer>([] { throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO); });
  connect(client, channel, failing);
  const auto supplier = connect_supplier(channel);
  for (const std::int32_t number : numbers_to(10)) supplier->push(event(number));
  failing->wait_for_disconnection();
  CHECK(service.statistics().disconnected == 1);
}

TEST_CASE("events of a consumer that always fails count as dropped") {
  std::latch released(1);  // ends after the ORBs, whose threads wait for it
  Service service({.pushes_per_consumer_max = 4,
                   .failures_max = 1,
                   .first_retry_delay = std::chrono::milliseconds(1)},
                  one_thread_for_each_loop);
  TestOrb client(in_order);
  const auto failing = CORBA::make_reference<Consumer>([&released] {
    released.wait();
    throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO);
  });
  connect(client, service.channel(client), failing);
  TestOrb supplying;
  const auto supplier = connect_supplier(service.channel(supplying));
  for (const std::int32_t number : numbers_to(10)) supplier->push(event(number));
  released.count_down();
  failing->wait_for_disconnection();
  CHECK(service.statistics().dropped == 10);
}

}  // namespace perigee::events::test
