// The threads that run the loop of asynchronous calls, and how one thread takes the loop over from
// another.
#include "orb/act.h"
#include "orb/async/deferring_sink.h"
#include "orb/async/observers.h"
#include "orb/server/server_fixture.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/clock.h>
#include <perigee/orb/inherited_time_limit.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {

namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;

std::chrono::nanoseconds cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// A client of two servers: `early` replies at once, `late` when the test tells it to.
struct TwoServers {
  explicit TwoServers(orb::Settings settings = {}) : client(std::move(settings)) {}

  DeferringSink deferring;
  ServerFixture slow{ThreadStrategy::thread_per_connection, deferring.servant()};
  ServerFixture quick{ThreadStrategy::thread_per_connection};
  TestOrb client;
  ObjectRef late = client.core().make_object(slow.object->_reference()->ior());
  ObjectRef early = client.core().make_object(quick.object->_reference()->ior());
};

}  // namespace

TEST_CASE("a server sleeps after its asynchronous calls have ended") {
  using std::chrono::milliseconds;
  const ServerFixture sink(ThreadStrategy::thread_per_connection);
  const ServerFixture server(each_strategy());
  const ObjectRef called = server.orb.core().make_object(sink.object->_reference()->ior());
  Observed first;
  stub::send(*called, act_operation, number(1), first).wait();
  const auto before = cpu_time();
  std::this_thread::sleep_for(milliseconds(200));
  CHECK(cpu_time() - before < milliseconds(100));  // a loop that spins would use all 200 ms
}

TEST_CASE("the shutdown of an ORB ends the calls that its upcalls have started") {
  DeferringSink deferring;
  const ServerFixture sink(ThreadStrategy::thread_per_connection, deferring.servant());
  ObjectRef called;
  Observed told;
  ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    (void)stub::send(*called, act_operation, number(1), told);
    add_one(request);
  });
  called = server.orb.core().make_object(sink.object->_reference()->ior());
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).result() == 2);
  deferring.await(1);
  server.orb.core().shutdown(orb::Completion::wait);
  CHECK(told.times() == 1);
  CHECK(told.failure<CORBA::BAD_INV_ORDER>().minor() == orb::minor_shut_down);
  deferring.reply_all(1);  // otherwise the end of the sink would wait for this reply
}

TEST_CASE("an observer can cancel a call that another thread has just started") {
  DeferringSink deferring;
  const ServerFixture sink(ThreadStrategy::thread_per_connection, deferring.servant());
  const TestOrb client;
  const ObjectRef called = client.core().make_object(sink.object->_reference()->ior());
  std::atomic<bool> driving = false;
  std::atomic<bool> posted = false;
  stub::CallHandle second;
  Observed cancelled;
  Observed first([&] {
    driving = true;
    while (!posted) std::this_thread::yield();
    second.cancel();
  });
  std::jthread other([&] {
    while (!driving) std::this_thread::yield();
    second = stub::send(*called, act_operation, number(2), cancelled);
    posted = true;
  });
  auto handle = stub::send(*called, act_operation, number(1), first);
  std::jthread answering([&] {
    deferring.await(1);
    deferring.reply_all(1);
  });
  handle.wait();
  other.join();
  second.wait();
  CHECK(cancelled.failure<CORBA::NO_RESPONSE>().minor() == orb::minor_cancelled);
  deferring.await(1);  // the request was sent, so the servant has a deferred reply
  deferring.reply_all(1);
}

TEST_CASE("an ORB ends while threads enter and leave the loop of its calls") {
  DeferringSink deferring;
  const ServerFixture sink(ThreadStrategy::thread_per_connection, deferring.servant());
  for (int round = 0; round != 30; ++round) {
    const TestOrb client;
    const ObjectRef called = client.core().make_object(sink.object->_reference()->ior());
    Observed told;
    (void)stub::send(*called, act_operation, number(1), told);
    std::atomic<bool> over = false;
    std::vector<std::jthread> threads;
    for (int index = 0; index != 3; ++index)
      threads.emplace_back([&] {
        while (!over) client.core().async().client_loop().perform_work();
      });
    std::jthread waiting([&] { drive(client.core(), [&] { return told.done(); }); });
    deferring.await(1);
    client.core().shutdown(orb::Completion::wait);
    waiting.join();
    over = true;
    CHECK(told.times() == 1);
    deferring.reply_all(1);
  }
}

TEST_CASE("a call that ends in a nested turn wakes another thread that waits for it") {
  const ServerFixture quick(ThreadStrategy::thread_per_connection);
  const TestOrb client;
  const ObjectRef early = client.core().make_object(quick.object->_reference()->ior());
  std::atomic<bool> nested = false;
  Observed last;
  Observed other;
  Observed first([&] {  // returns only after the last call has ended
    nested = true;
    drive(client.core(), [&] { return last.done(); });
  });
  (void)stub::send(*early, act_operation, number(1), first);
  std::jthread waiting([&] {
    while (!nested) std::this_thread::yield();
    stub::send(*early, act_operation, number(2), other).wait();
    (void)stub::send(*early, act_operation, number(3), last);
  });
  drive(client.core(), [&] { return first.done(); });
  waiting.join();
  CHECK(other.value() == 3);
  CHECK(last.value() == 4);
}

TEST_CASE("an observer of the client's loop can shut its ORB down") {
  bool nested = false;
  SUBCASE("in a turn") {}
  SUBCASE("in a nested turn") { nested = true; }
  TwoServers servers;
  auto& [deferring, slow, quick, client, late, early] = servers;
  Observed last;  // in flight at the shutdown; its time limit is a timer of its connection
  Observed ending([&] { client.core().shutdown(orb::Completion::wait); });
  Observed outer([&] {
    if (nested) stub::send(*early, act_operation, number(2), ending).wait();
  });
  {
    const stub::InheritedTimeLimit limit(
        Deadline::after(std::chrono::hours(1), steady_clock().now()));
    (void)stub::send(*late, act_operation, number(1), last);
    (void)stub::send(*early, act_operation, number(1), nested ? outer : ending);
  }
  drive(client.core(), [&] { return last.done() && ending.done(); });
  CHECK(ending.value() == (nested ? 3 : 2));
  CHECK(last.failure<CORBA::BAD_INV_ORDER>().minor() == orb::minor_shut_down);
  deferring.await(1);
  deferring.reply_all(1);
}

TEST_CASE("an ORB ends while threads wait in its client loop, which its server loop also runs") {
  DeferringSink deferring;
  const ServerFixture slow(ThreadStrategy::thread_per_connection, deferring.servant());
  for (int round = 0; round != 20; ++round) {
    TestOrb client(server_settings(ThreadStrategy::reactive));
    const ObjectRef late = client.core().make_object(slow.object->_reference()->ior());
    client.serve();
    Observed calls[3];
    std::vector<std::jthread> waiting;
    for (Observed& each : calls)
      waiting.emplace_back([&] { stub::send(*late, act_operation, number(1), each).wait(); });
    deferring.await(3);
    client.core().shutdown(orb::Completion::wait);
    waiting.clear();
    for (const Observed& each : calls) CHECK(each.times() == 1);
    deferring.reply_all(1);
  }
}

TEST_CASE("an observer that the server's loop runs can wait for another call") {
  TwoServers servers(server_settings(ThreadStrategy::reactive));
  auto& [deferring, slow, quick, client, late, early] = servers;
  std::promise<void> over;
  Observed cancelled;
  Observed second;
  stub::CallHandle waited = stub::send(*late, act_operation, number(1), cancelled);
  stub::CallHandle next;
  Observed first([&] {
    waited.cancel();
    waited.wait();  // this thread has posted the end of the cancelled call
    next.wait();    // the reply arrived together with the reply to the first call
    over.set_value();
  });
  (void)stub::send(*early, act_operation, number(1), first);
  next = stub::send(*early, act_operation, number(2), second);
  deferring.await(1);
  client.serve();
  over.get_future().wait();
  CHECK(cancelled.failure<CORBA::NO_RESPONSE>().minor() == orb::minor_cancelled);
  CHECK(second.value() == 3);
  deferring.reply_all(1);
}

TEST_CASE("an upcall can wait for a call of the client's loop, which no other thread runs") {
  DeferringSink deferring;
  const ServerFixture slow(ThreadStrategy::thread_per_connection, deferring.servant());
  ThreadStrategy strategy = ThreadStrategy::reactor_per_core;
  SUBCASE("reactor-per-core") {}
  SUBCASE("auto") { strategy = ThreadStrategy::automatic; }
  SUBCASE("thread-pool") { strategy = ThreadStrategy::thread_pool; }
  stub::CallHandle call;
  const TestOrb server(server_settings(strategy));
  const ObjectRef object = server.root()->id_to_reference(
      server.root()->activate_object(make_servant([&](orb::ServerRequest& request) {
        call.wait();
        add_one(request);
      })));
  const ObjectRef late = server.core().make_object(slow.object->_reference()->ior());
  server.root()->the_POAManager()->activate();
  server.core().perform_work();  // the server accepts from now on
  Observed told;
  call = stub::send(*late, act_operation, number(1), told);
  std::jthread answering([&] {
    deferring.await(1);
    deferring.reply_all(7);
  });
  RawClient client(server.endpoint_of(object));
  CHECK(client.call({.key = server.key_of(object), .argument = 1}).result() == 2);
  CHECK(told.value() == 7);
}

TEST_CASE("a request that an observer has started leaves before the observer blocks") {
  TwoServers servers;
  auto& [deferring, slow, quick, client, late, early] = servers;
  Observed held;
  Observed first([&] {
    (void)stub::send(*late, act_operation, number(1), held);
    CHECK(act(early, 1) == 2);  // a blocking call
    deferring.await(1);
  });
  (void)stub::send(*late, act_operation, number(1), first);
  std::jthread answering([&] {
    deferring.await(1);
    deferring.reply_all(2);
  });
  drive(client.core(), [&] { return first.done(); });
  deferring.reply_all(3);
  drive(client.core(), [&] { return held.done(); });
  CHECK(held.value() == 3);
}

TEST_CASE("the nesting of observers that wait is limited") {
  constexpr int count = 12;
  DeferringSink deferring;
  const ServerFixture slow(ThreadStrategy::thread_per_connection, deferring.servant());
  const ServerFixture quick(ThreadStrategy::thread_per_connection);
  orb::Settings settings = server_settings(ThreadStrategy::thread_per_connection);
  settings.nested_upcall_depth_max = 3;
  const TestOrb client(settings);
  const ObjectRef outer = client.core().make_object(slow.object->_reference()->ior());
  const ObjectRef inner = client.core().make_object(quick.object->_reference()->ior());

  int depth = 0;
  int deepest = 0;
  int refused = 0;
  std::vector<std::unique_ptr<Observed>> nested;
  const auto wait_again = [&] {
    deepest = std::max(deepest, ++depth);
    try {
      stub::send(*inner, act_operation, number(1), *nested.emplace_back(new Observed)).wait();
    } catch (const CORBA::NO_RESOURCES&) {
      ++refused;
    }
    --depth;
  };
  std::vector<std::unique_ptr<Observed>> observers;
  std::vector<stub::CallHandle> handles;
  for (int i = 0; i < count; ++i) {
    observers.push_back(std::make_unique<Observed>(wait_again));
    handles.push_back(stub::send(*outer, act_operation, number(1), *observers.back()));
  }
  std::jthread answering([&] {
    deferring.await(count);
    deferring.reply_all(1);
  });
  for (stub::CallHandle& handle : handles) handle.wait();
  drive(client.core(), [&] {
    return std::ranges::all_of(nested, [](const auto& observed) { return observed->done(); });
  });
  CHECK(deepest <= 4);
  CHECK(static_cast<int>(nested.size()) == count);
}

}  // namespace perigee::test
