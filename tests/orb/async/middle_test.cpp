// A middle tier: it replies to a request when the reply to its own call arrives.
#include "orb/act.h"
#include "orb/async/deferring_sink.h"
#include "orb/async/forward.h"
#include "orb/async/observers.h"
#include "orb/policies.h"
#include "orb/server/server_fixture.h"
#include <perigee/poa/answer.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <thread>
#include <utility>

namespace perigee::test {

namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;

}  // namespace

TEST_CASE("a shutdown that waits receives the sinks' replies and replies to the clients") {
  const ThreadStrategy strategy = each_strategy();
  DeferringSink deferring;
  ServerFixture sink(ThreadStrategy::thread_per_connection, deferring.servant());
  ObjectRef sink_reference;
  ServerFixture middle(strategy, forward_to(sink_reference));
  sink_reference = middle.orb.core().make_object(sink.object->_reference()->ior());
  const TestOrb client;
  const ObjectRef object = client.core().make_object(middle.object->_reference()->ior());

  auto asked = std::async(std::launch::async, [&] { return act(object, 1); });
  deferring.await(1);
  std::thread ending([&] { middle.orb.core().shutdown(orb::Completion::wait); });
  while (!middle.orb.core().stopping()) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // ORB::run may notice the shutdown
  deferring.reply_all(42);
  CHECK(asked.get() == 42);
  ending.join();
}

TEST_CASE("a loop without connections runs until its call has answered another loop's request") {
  DeferringSink deferring;
  ServerFixture sink(ThreadStrategy::thread_per_connection, deferring.servant());
  ObjectRef sink_reference;
  std::atomic<Forward*> for_first = nullptr;
  std::promise<std::thread::id> first_loop;
  std::promise<std::thread::id> second_loop;
  ServerFixture middle(ThreadStrategy::reactor_per_core, [&](orb::ServerRequest& request) {
    request.end_of_arguments();
    if (for_first == nullptr) {
      for_first = new Forward(request);
      return first_loop.set_value(std::this_thread::get_id());
    }
    (void)stub::send(*sink_reference, act_operation, number(1), *for_first);
    second_loop.set_value(std::this_thread::get_id());
  });
  sink_reference = middle.orb.core().make_object(sink.object->_reference()->ior());
  RawClient first(middle.endpoint);
  first.send(make_request({.key = middle.key}));
  const std::thread::id loop_of_first = first_loop.get_future().get();
  RawClient second(middle.endpoint);
  (void)second.call({.key = middle.key});
  REQUIRE(second_loop.get_future().get() != loop_of_first);
  deferring.await(1);

  std::thread ending([&] { middle.orb.core().shutdown(orb::Completion::wait); });
  CHECK(second.reply().type() == type_close_connection);
  CHECK(second.at_end());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the second loop may have drained
  deferring.reply_all(42);
  CHECK(first.reply().result() == 42);
  ending.join();
}

TEST_CASE("a shutdown that waits does not need a thread in ORB::run") {
  DeferringSink deferring;
  ServerFixture sink(ThreadStrategy::thread_per_connection, deferring.servant());
  ObjectRef sink_reference;
  TestOrb middle;  // its connections have threads of their own
  std::atomic<bool> arrived = false;
  const ObjectRef served = middle.root()->servant_to_reference(
      make_servant([&, forward = forward_to(sink_reference)](orb::ServerRequest& request) {
        forward(request);
        arrived = true;
      }));
  middle.root()->the_POAManager()->activate();
  sink_reference = middle.core().make_object(sink.object->_reference()->ior());
  const TestOrb client;
  const ObjectRef object = client.core().make_object(served->_reference()->ior());

  auto asked = std::async(std::launch::async, [&] { return act(object, 1); });
  while (!arrived) std::this_thread::yield();
  std::thread answering([&] {
    deferring.await(1);  // the shutdown also runs the connect to the sink
    deferring.reply_all(42);
  });
  middle.core().shutdown(orb::Completion::wait);
  CHECK(asked.get() == 42);
  answering.join();
}

TEST_CASE("a waiting shutdown in an observer is refused while a request has a deferred reply") {
  DeferringSink deferring;
  ServerFixture middle(ThreadStrategy::thread_per_connection, deferring.servant());
  const TestOrb client;
  const ObjectRef object = client.core().make_object(middle.object->_reference()->ior());
  auto asked = std::async(std::launch::async, [&] { return act(object, 1); });
  deferring.await(1);

  ServerFixture sink(ThreadStrategy::thread_per_connection);
  const ObjectRef called = middle.orb.core().make_object(sink.object->_reference()->ior());
  std::promise<bool> refused;
  Observed told([&] {
    try {
      middle.orb.core().shutdown(orb::Completion::wait);
    } catch (const CORBA::BAD_INV_ORDER&) {
      refused.set_value(true);
    }
  });
  (void)stub::send(*called, act_operation, number(1), told);
  CHECK(refused.get_future().get());
  deferring.reply_all(42);
  CHECK(asked.get() == 42);
}

TEST_CASE("a waiting shutdown in an observer on a server's loop is refused") {
  ThreadStrategy strategy = ThreadStrategy::reactive;
  SUBCASE("reactive") {}
  SUBCASE("reactor-per-core") { strategy = ThreadStrategy::reactor_per_core; }
  ServerFixture sink(ThreadStrategy::thread_per_connection);
  ObjectRef sink_reference;
  orb::OrbCore* core = nullptr;
  skeleton::Answer answer;
  bool refused = false;
  Observed told([&] {
    try {
      core->shutdown(orb::Completion::wait);
    } catch (const CORBA::BAD_INV_ORDER&) {
      refused = true;
    }
    answer.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{42}; });
  });
  ServerFixture middle(strategy, [&](orb::ServerRequest& request) {
    request.end_of_arguments();
    answer = skeleton::Answer(request);
    (void)stub::send(*sink_reference, act_operation, number(1), told);
  });
  core = &middle.orb.core();
  sink_reference = core->make_object(sink.object->_reference()->ior());
  RawClient client(middle.endpoint);
  CHECK(client.call({.key = middle.key}).result() == 42);
  CHECK(refused);
}

TEST_CASE("a collocated call drives the asynchronous calls that its servant waits for") {
  ServerFixture sink(ThreadStrategy::thread_per_connection);
  ObjectRef sink_reference;
  const TestOrb middle(server_settings(each_strategy()));  // no thread is in ORB::run
  const ObjectRef served =
      middle.root()->servant_to_reference(make_servant(forward_to(sink_reference)));
  middle.root()->the_POAManager()->activate();
  sink_reference = middle.core().make_object(sink.object->_reference()->ior());
  for (const std::uint32_t argument : {1u, 2u, 3u}) CHECK(act(served, argument) == argument + 1);
}

TEST_CASE("a collocated call waits for a deferred reply no longer than its time limit") {
  DeferringSink deferring;
  ServerFixture sink(ThreadStrategy::thread_per_connection, deferring.servant());
  ObjectRef sink_reference;
  std::jthread answering;  // joined after the end of the ORB, which drives the call
  const TestOrb middle(server_settings(each_strategy()));
  const ObjectRef served =
      middle.root()->servant_to_reference(make_servant(forward_to(sink_reference)));
  middle.root()->the_POAManager()->activate();
  sink_reference = middle.core().make_object(sink.object->_reference()->ior());
  const ObjectRef hurried = limited(served, middle.core(), std::chrono::milliseconds(20));
  CHECK_THROWS_AS((void)act(hurried, 1), CORBA::TIMEOUT);
  answering = std::jthread([&] {
    deferring.await(1);
    deferring.reply_all(1);
  });
}

}  // namespace perigee::test
