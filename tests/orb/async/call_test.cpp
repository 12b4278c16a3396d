// call<T>: asynchronous calls as tasks and threads use them.
#include "orb/async/observers.h"
#include "orb/server/server_fixture.h"
#include "orb/values/system_exceptions.h"
#include <perigee/async/as_task.h>
#include <perigee/async/call.h>
#include <perigee/async/on_orb.h>
#include <perigee/async/when.h>

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <memory>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <thread>

namespace perigee::test {

namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;
using OrbRef = CORBA::object_reference<CORBA::ORB>;

call<std::uint32_t> act(const ObjectRef& object, std::uint32_t value) {
  return async::start_call<std::uint32_t>(
      *object, act_operation, number(value),
      [](cdr::Decoder& results) { return results.read<std::uint32_t>(); });
}

OrbRef orb_of(const TestOrb& orb) {
  return OrbRef(make_counted<CORBA::ORB>(orb.core().shared_from_this()));
}

/// A server, and a client whose ORB no thread runs.
struct Pair {
  explicit Pair(ActingServant::Action action = add_one)
      : server(ThreadStrategy::thread_per_connection, std::move(action)),
        object(client.core().make_object(server.object->_reference()->ior())),
        orb(orb_of(client)) {}

  ServerFixture server;
  TestOrb client;
  ObjectRef object;
  OrbRef orb;
};

/// Blocks upcalls until the test opens the door.
struct Door {
  std::promise<void> opened;
  std::shared_future<void> open = opened.get_future().share();
  std::atomic<int> arrived = 0;
  [[nodiscard]] ActingServant::Action keeper() {
    return [this](orb::ServerRequest& request) {
      ++arrived;
      open.wait();
      add_one(request);
    };
  }
};

task<std::uint32_t> add_two(ObjectRef object, std::uint32_t value) {
  const std::uint32_t one_more = co_await act(object, value);
  const std::uint32_t two_more = co_await act(object, one_more);
  co_return two_more;
}

task<std::uint32_t> add_both(ObjectRef object) {
  call<std::uint32_t> first = act(object, 10);
  call<std::uint32_t> second = act(object, 20);
  const std::uint32_t b = co_await second;
  const std::uint32_t a = co_await first;
  co_return a + b;
}

task<bool> is_cancelled(ObjectRef object) {
  call<std::uint32_t> started = act(object, 1);
  try {
    const std::uint32_t result = co_await started;
    co_return result == 0;
  } catch (const CORBA::NO_RESPONSE& exception) {
    co_return exception.minor() == orb::minor_cancelled;
  }
}

}  // namespace

TEST_CASE("a thread gets the result of a call") {
  Pair pair;
  call<std::uint32_t> started = act(pair.object, 41);
  CHECK(started.get() == 42);
}

TEST_CASE("a task awaits calls, one after the other and side by side") {
  Pair pair;
  CHECK(run(pair.orb, add_two(pair.object, 5)) == 7);
  CHECK(run(pair.orb, add_both(pair.object)) == 32);
}

TEST_CASE("calls that end at once do not nest on the stack") {
  Pair pair;
  const ObjectRef collocated = pair.server.object;
  const auto work = [](ObjectRef object) -> task<std::uint32_t> {
    std::uint32_t value = 0;
    while (value < 20'000) value = co_await act(object, value);
    co_return value;
  };
  CHECK(run(pair.orb, work(collocated)) == 20'000);
}

TEST_CASE("a pool of one thread serves a callback while its thread waits for a call or a task") {
  bool in_task = false;
  SUBCASE("for a call") {}
  SUBCASE("for a task") { in_task = true; }
  orb::Settings settings = server_settings(ThreadStrategy::thread_pool);
  settings.threads = 1;
  ObjectRef next;
  OrbRef orb;
  ServerFixture pool(settings, [&](orb::ServerRequest& request) {
    std::uint32_t value = 0;
    request.arguments() >> value;
    request.end_of_arguments();
    if (value != 0) value = in_task ? run(orb, add_two(next, value)) : act(next, value).get();
    request.reply([value](cdr::Encoder& encoder) { encoder << value; });
  });
  orb = orb_of(pool.orb);
  ObjectRef back;
  ServerFixture caller(ThreadStrategy::thread_per_connection, [&](orb::ServerRequest& request) {
    const std::uint32_t nothing = act(back, 0).get();
    request.reply([nothing](cdr::Encoder& encoder) { encoder << nothing + 3; });
  });
  next = pool.orb.core().make_object(caller.object->_reference()->ior());
  back = caller.orb.core().make_object(pool.object->_reference()->ior());
  RawClient client(pool.endpoint);
  CHECK(client.call({.key = pool.key, .argument = 1}).result() == 3);
}

TEST_CASE("a task does not begin if its thread is not allowed to wait for it") {
  orb::Settings settings = server_settings(ThreadStrategy::reactive);
  settings.nested_upcall_depth_max = 0;
  OrbRef orb;
  bool begun = false;
  const auto work = [](bool& has_begun) -> task<> {
    has_begun = true;
    co_return;
  };
  ServerFixture server(settings, [&](orb::ServerRequest&) { run(orb, work(begun)); });
  orb = orb_of(server.orb);
  const TestOrb client;
  const ObjectRef object = client.core().make_object(server.object->_reference()->ior());
  try {
    (void)act(object, 1).get();
    FAIL("it waited");
  } catch (const CORBA::NO_RESOURCES& exception) {
    CHECK(exception.completed() == CORBA::COMPLETED_NO);
  }
  CHECK(!begun);
}

TEST_CASE("an exception of a posted function does not end the wait for a task") {
  ThreadStrategy strategy = ThreadStrategy::reactive;
  SUBCASE("reactive") {}
  SUBCASE("reactor-per-core") { strategy = ThreadStrategy::reactor_per_core; }
  ServerFixture sink(ThreadStrategy::thread_per_connection);
  ObjectRef next;
  OrbRef orb;
  ServerFixture middle(strategy, [&](orb::ServerRequest& request) {
    request.end_of_arguments();
    reactor_of(orb).post([] { throw std::bad_alloc(); });
    const std::uint32_t value = run(orb, add_two(next, 1));
    request.reply([value](cdr::Encoder& encoder) { encoder << value; });
  });
  orb = orb_of(middle.orb);
  next = middle.orb.core().make_object(sink.object->_reference()->ior());
  RawClient client(middle.endpoint);
  CHECK(client.call({.key = middle.key}).result() == 3);
}

TEST_CASE("co_await throws the exception that the server replied") {
  Pair pair(
      [](orb::ServerRequest&) -> void { throw CORBA::NO_PERMISSION(7, CORBA::COMPLETED_NO); });
  CHECK_THROWS_AS((void)run(pair.orb, add_two(pair.object, 1)), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS((void)act(pair.object, 1).get(), CORBA::NO_PERMISSION);
}

TEST_CASE("destroying a call object cancels the call without waiting for it") {
  Door door;
  Pair pair(door.keeper());
  {
    const call<std::uint32_t> dropped = act(pair.object, 1);
    while (door.arrived == 0) {  // the upcall does not wake this thread
      pair.client.core().async().client_loop().perform_work();
      std::this_thread::yield();
    }
  }
  door.opened.set_value();
  CHECK(act(pair.object, 2).get() == 3);
}

TEST_CASE("a task that is asked to stop cancels the call that it waits for") {
  Door door;
  Pair pair(door.keeper());
  std::stop_source stop;
  std::thread stopper([&] {
    while (door.arrived == 0) std::this_thread::yield();
    stop.request_stop();
  });
  CHECK(run(pair.orb, is_cancelled(pair.object), stop.get_token()));
  stopper.join();
  door.opened.set_value();
}

TEST_CASE("when_any returns the first result and cancels the other calls") {
  Door door;
  Pair slow(door.keeper());
  ServerFixture fast(ThreadStrategy::reactive);
  const ObjectRef quick = slow.client.core().make_object(fast.object->_reference()->ior());
  const auto work = [](ObjectRef a, ObjectRef b) -> task<std::uint32_t> {
    const auto first = co_await when_any(add_two(a, 1), add_two(b, 1));
    co_return std::get<1>(first);
  };
  CHECK(run(slow.orb, work(slow.object, quick)) == 3);
  door.opened.set_value();
}

TEST_CASE("an empty call raises BAD_INV_ORDER") {
  call<std::uint32_t> empty;
  empty.cancel();
  CHECK(empty.is_over());
  CHECK_THROWS_AS((void)empty.get(), CORBA::BAD_INV_ORDER);
  const auto waits = [](call<std::uint32_t>& awaited) -> task<std::uint32_t> {
    co_return co_await awaited;
  };
  const Pair pair;
  CHECK_THROWS_AS((void)run(pair.orb, waits(empty)), CORBA::BAD_INV_ORDER);
  CHECK_THROWS_AS((void)run(pair.orb, as_task(std::move(empty))), CORBA::BAD_INV_ORDER);
  CHECK_THROWS_AS((void)act(nullptr, 1), CORBA::INV_OBJREF);
}

TEST_CASE("an empty task and a nil ORB are refused") {
  const Pair pair;
  CHECK_THROWS_AS((void)run(pair.orb, task<int>()), std::invalid_argument);
  CHECK_THROWS_AS((void)run(OrbRef(), add_two(pair.object, 1)), CORBA::INV_OBJREF);
  CHECK_THROWS_AS((void)sleep_for(OrbRef(), std::chrono::seconds(1)), CORBA::BAD_PARAM);
}

TEST_CASE("a second task that awaits a call is refused, and the first task goes on") {
  Door door;
  Pair pair(door.keeper());
  const auto work = [](ObjectRef object, Door& opened) -> task<std::uint32_t> {
    struct Awaits {
      static task<std::uint32_t> first(call<std::uint32_t>& awaited) { co_return co_await awaited; }
      static task<> second(call<std::uint32_t>& awaited, Door& opened) {
        try {
          (void)co_await awaited;
        } catch (const std::logic_error&) {
          opened.opened.set_value();
        }
      }
    };
    call<std::uint32_t> started = act(object, 1);
    const auto [value, none] =
        co_await when_all(Awaits::first(started), Awaits::second(started, opened));
    co_return value;
  };
  CHECK(run(pair.orb, work(pair.object, door)) == 2);
}

}  // namespace perigee::test
