// Tasks that wait on an ORB's loops.
#include "orb/server/server_fixture.h"
#include "support/await_condition.h"
#include <perigee/async/call.h>
#include <perigee/async/on_orb.h>
#include <perigee/async/run.h>
#include <perigee/async/serve.h>

#include <chrono>
#include <future>
#include <latch>
#include <stop_token>
#include <thread>
#include <utility>

namespace perigee::test {
namespace {

using OrbRef = CORBA::object_reference<CORBA::ORB>;
using namespace std::chrono_literals;

OrbRef orb_of(orb::OrbCore& core) {
  return OrbRef(make_counted<CORBA::ORB>(core.shared_from_this()));
}

task<bool> sleep(OrbRef orb, Duration duration) {
  const bool slept = co_await sleep_for(orb, duration);
  co_return slept;
}

/// Starts the task. Its result goes to the promise.
void start_telling(task<bool> work, std::promise<bool>& told) {
  async::start(std::move(work), &told, [](void* context, async::outcome<bool>& result) noexcept {
    static_cast<std::promise<bool>*>(context)->set_value(result.take());
  });
}

}  // namespace

TEST_CASE("a task sleeps in the loop that the waiting thread drives") {
  const TestOrb orb(server_settings(each_strategy()));  // no thread runs this ORB
  CHECK(run(orb_of(orb.core()), sleep(orb_of(orb.core()), 1ms)));
}

TEST_CASE("a servant's task sleeps in the loop of its server") {
  OrbRef orb;
  std::promise<bool> slept;
  ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    request.arguments().skip(4);
    request.end_of_arguments();
    start_telling(sleep(orb, 1ms), slept);
  });
  orb = orb_of(server.orb.core());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  CHECK(slept.get_future().get());
  (void)client.reply();
}

TEST_CASE("a servant's task continues after a sleep on a thread of its own loop") {
  OrbRef orb;
  std::promise<bool> same;
  const auto work = [](OrbRef where) -> task<bool> {
    orb::Server& server = *where->_core()->server();
    const engine::Loop* const began_on = server.loop_of_this_thread();
    co_await sleep_for(where, 1ms);
    co_return began_on != nullptr&& server.loop_of_this_thread() == began_on;
  };
  ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    request.arguments().skip(4);
    request.end_of_arguments();
    start_telling(work(orb), same);
  });
  orb = orb_of(server.orb.core());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  CHECK(same.get_future().get());
  (void)client.reply();
}

TEST_CASE("tasks that block after a sleep get spare threads, so that other tasks continue") {
  constexpr int count = 4;
  ThreadStrategy strategy = ThreadStrategy::automatic;
  SUBCASE("auto") {}
  SUBCASE("thread-per-connection") { strategy = ThreadStrategy::thread_per_connection; }
  OrbRef orb;
  std::latch released(1);
  std::latch over(count + 1);
  const auto sleep_then = [&](Duration duration, auto action) {
    const auto work = [](OrbRef where, Duration time, auto then) -> task<void> {
      co_await sleep_for(where, time);
      then();
    };
    async::start(work(orb, duration, action), &over,
                 [](void* context, async::outcome<void>&) noexcept {
                   static_cast<std::latch*>(context)->count_down();
                 });
  };
  ServerFixture server(strategy, [&](orb::ServerRequest& request) {
    request.arguments().skip(4);
    request.end_of_arguments();
    for (int index = 0; index != count; ++index)
      sleep_then(100ms, [&] { released.wait(); });  // the upcall has ended by then
    sleep_then(200ms, [&] { released.count_down(); });
    request.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{1}; });
  });
  orb = orb_of(server.orb.core());
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).result() == 1);
  over.wait();
}

TEST_CASE("a task of another thread sleeps while a thread is in ORB::run") {
  ServerFixture server(each_strategy());
  std::promise<bool> slept;
  start_telling(sleep(orb_of(server.orb.core()), 1ms), slept);
  CHECK(slept.get_future().get());
}

namespace {

/// Tells how a sleep has ended: by its time, or earlier.
struct Sleeper {
  std::promise<bool> slept;

  void start(const OrbRef& orb) { start_telling(sleep(orb, 1h), slept); }
  [[nodiscard]] bool goes_on_without_sleep() {
    auto future = slept.get_future();
    return future.wait_for(10s) == std::future_status::ready && !future.get();
  }
};

}  // namespace

TEST_CASE("when ORB::run ends, the sleep of a task returns false, at the latest in ORB::destroy") {
  const orb::ThreadStrategy strategy = each_strategy();
  for (const auto completion : {orb::Completion::wait, orb::Completion::do_not_wait}) {
    CAPTURE(static_cast<int>(completion));
    OrbRef orb;
    Sleeper servants;
    Sleeper others;
    ServerFixture server(strategy, [&](orb::ServerRequest& request) {
      servants.start(orb);
      add_one(request);
    });
    orb = orb_of(server.orb.core());
    auto running = std::async(std::launch::async, [&] { server.orb.core().run(); });
    RawClient client(server.endpoint);
    client.send(make_request({.key = server.key, .argument = 1}));
    (void)client.reply();
    others.start(orb);
    server.orb.core().shutdown(completion);
    running.wait();
    server.orb.core().destroy();
    CHECK(servants.goes_on_without_sleep());
    CHECK(others.goes_on_without_sleep());
  }
}

TEST_CASE("ORB::run ends while a servant's coroutine sleeps, and the client gets its reply") {
  bool runs_first = true;
  SUBCASE("run was called before the shutdown") {}
  SUBCASE("run is called after the shutdown has begun") { runs_first = false; }
  OrbRef orb;
  const ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    request.arguments().skip(4);
    request.end_of_arguments();
    const auto work = [](OrbRef where) -> task<std::uint32_t> {
      const bool slept = co_await sleep_for(where, 1h);
      co_return slept ? 1u : 2u;
    };
    async::serve<std::uint32_t>(
        request, [&] { return work(orb); },
        [](cdr::Encoder& encoder, std::uint32_t value) { encoder << value; });
  });
  orb = orb_of(server.orb.core());
  std::future<void> running;
  const auto run = [&] { server.orb.core().run(); };
  if (runs_first) running = std::async(std::launch::async, run);
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  await_condition([&] { return server.orb.core().requests_in_progress() != 0; });
  server.orb.core().shutdown(orb::Completion::do_not_wait);  // asks the task to stop
  if (!runs_first) running = std::async(std::launch::async, run);
  running.wait();
  CHECK(client.reply().result() == 2);
}

TEST_CASE("a sleep ends early if its task is asked to stop") {
  const TestOrb orb;
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(run(orb_of(orb.core()), sleep(orb_of(orb.core()), 1h), stop.get_token()));
}

TEST_CASE("continue_on moves a task to a thread that drives the ORB") {
  ServerFixture server(each_strategy());
  const OrbRef orb = orb_of(server.orb.core());
  const auto work = [](OrbRef where) -> task<bool> {
    const std::thread::id before = std::this_thread::get_id();
    co_await continue_on(on(where));
    co_return before != std::this_thread::get_id();
  };
  std::promise<bool> moved;
  start_telling(work(orb), moved);
  CHECK(moved.get_future().get());
}

TEST_CASE("reactor_of raises an exception for a nil ORB, and after a shutdown") {
  const TestOrb orb;
  const OrbRef reference = orb_of(orb.core());
  orb.core().shutdown(orb::Completion::wait);
  CHECK_THROWS_AS((void)reactor_of(reference), CORBA::BAD_INV_ORDER);
  CHECK_THROWS_AS((void)reactor_of(nullptr), CORBA::BAD_PARAM);
}

}  // namespace perigee::test
