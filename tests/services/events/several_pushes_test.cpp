// Push consumers that get several calls at a time.
#include "event_service.h"

#include <atomic>
#include <latch>
#include <thread>

namespace perigee::events::test {

namespace {

const std::vector<std::string> in_order{"-ORBRequestOrder", "connection"};

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
  Service service_{several()};
  TestOrb client_{in_order};
};

}  // namespace

TEST_CASE("a consumer gets events in order although several calls are in progress") {
  Service service(several());
  TestOrb client(in_order);
  const auto channel = service.channel(client);
  const auto consumer = CORBA::make_reference<Consumer>();
  connect(client, channel, consumer);
  const auto supplier = connect_supplier(channel);
  for (const std::int32_t number : numbers_to(200)) supplier->push(event(number));
  CHECK(consumer->wait_for(200) == numbers_to(200));
}

TEST_CASE("an event that fails is dropped if the consumer has a later one") {
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
                   .first_retry_delay = std::chrono::milliseconds(1)});
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

}  // namespace perigee::events::test
