// Coroutines as servants, over connections of every thread strategy.
#include "async/serving.h"
#include "coroutines/leaves.h"
#include "orb/act.h"
#include "orb/async/async_engine.h"
#include "orb/context/call_driver.h"
#include "orb/context/orb_context.h"
#include "orb/policies.h"
#include "orb/references/reference.h"
#include "orb/server/server_fixture.h"
#include "orb/values/system_exceptions.h"
#include "support/allocations.h"
#include <perigee/async/remaining_time.h>
#include <perigee/async/sleep.h>
#include <perigee/async/when.h>
#include <perigee/async/with_scope.h>
#include <perigee/poa/remaining_time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

call<std::uint32_t> act(const ObjectRef& object) { return start_act(object, 1); }

/// Calls the object synchronously.
std::uint32_t invoke_act(const ObjectRef& object) { return test::act(object, 1); }

/// A middle tier, the sink that its servant calls, and a client.
struct Tiers {
  explicit Tiers(Coroutine work, ActingServant::Action sink_action)
      : sink(ThreadStrategy::thread_per_connection, std::move(sink_action)),
        middle(each_strategy(), serving(std::move(work))) {
    sink_object = middle.orb.core().make_object(sink.object->_reference()->ior());
    object = client.core().make_object(middle.object->_reference()->ior());
  }
  ObjectRef limited_to(std::chrono::microseconds time) {
    return limited(object, client.core(), time);
  }

  ServerFixture sink;
  ServerFixture middle;
  TestOrb client;
  ObjectRef sink_object;  // as seen by the middle tier
  ObjectRef object;
};

/// A sink that does not reply in time. It refuses requests that arrive after `end`, because a
/// deferred reply would keep the sink alive.
class Mute {
 public:
  ActingServant::Action sink() {
    return [this](orb::ServerRequest& request) {
      const std::lock_guard lock(mutex_);
      if (over_) throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO);
      deferred_.emplace_back(request);
      arrived.release();
    };
  }
  /// Takes the deferred replies and refuses later requests.
  std::vector<skeleton::Answer> end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    return std::exchange(deferred_, {});
  }

  std::counting_semaphore<> arrived{0};

 private:
  std::mutex mutex_;  // guards the members below
  bool over_ = false;
  std::vector<skeleton::Answer> deferred_;
};

/// The loop that drives asynchronous calls of this thread.
event::Reactor& loop_of(const ObjectRef& object) {
  return object->_reference()->context().calls.engine().sleeping_place();
}

/// Replies 1 if the caller's remaining time is at most an hour, and 0 otherwise.
void answer_is_limited(orb::ServerRequest& request) {
  const auto left = remaining_time();
  const bool is_limited = left && *left > std::chrono::seconds(0) && *left <= std::chrono::hours(1);
  request.reply([=](cdr::Encoder& encoder) { encoder << std::uint32_t{is_limited}; });
}

}  // namespace

TEST_CASE("a coroutine that does not suspend replies within its upcall") {
  const ServerFixture server(
      each_strategy(),
      serving([](std::uint32_t argument) -> task<std::uint32_t> { co_return argument + 1; }));
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 41}).result() == 42);
}

TEST_CASE("a coroutine that suspends replies on the thread that resumes it") {
  OtherThread elsewhere;
  const ServerFixture server(each_strategy(),
                             serving([&](std::uint32_t argument) -> task<std::uint32_t> {
                               co_await elsewhere;
                               co_return argument + 1;
                             }));
  RawClient client(server.endpoint);
  for (std::uint32_t argument = 0; argument < 100; ++argument)
    CHECK(client.call({.key = server.key, .argument = argument}).result() == argument + 1);
}

TEST_CASE("a coroutine replies with the exception that it throws, before and after it suspends") {
  OtherThread elsewhere;
  const ServerFixture server(each_strategy(),
                             serving([&](std::uint32_t argument) -> task<std::uint32_t> {
                               if (argument != 0) co_await elsewhere;
                               throw CORBA::NO_PERMISSION(argument, CORBA::COMPLETED_NO);
                             }));
  RawClient client(server.endpoint);
  for (const std::uint32_t argument : {0u, 1u})
    CHECK(client.call({.key = server.key, .argument = argument}).repository_id() ==
          "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
}

TEST_CASE("a servant function that throws instead of returning a task replies with the exception") {
  const ServerFixture server(each_strategy(), serving([](std::uint32_t) -> task<std::uint32_t> {
                               throw CORBA::NO_PERMISSION();
                             }));
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).repository_id() ==
        "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
}

TEST_CASE("a servant function that returns an empty task replies with UNKNOWN") {
  const ServerFixture server(each_strategy(),
                             serving([](std::uint32_t) { return task<std::uint32_t>(); }));
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).repository_id() ==
        "IDL:omg.org/CORBA/UNKNOWN:1.0");
}

TEST_CASE("a coroutine's stop token stops when its request is cancelled") {
  std::binary_semaphore begun{0};
  std::binary_semaphore stopped{0};
  OtherThread elsewhere;
  const ServerFixture server(each_strategy(), serving([&](std::uint32_t) -> task<std::uint32_t> {
                               const std::stop_token stop = co_await stop_token_of_this_task();
                               co_await elsewhere;
                               const std::stop_callback heard(stop, [&] { stopped.release(); });
                               begun.release();
                               stopped.acquire();
                               co_return 1;
                             }));
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 3, .argument = 1}));
  begun.acquire();
  client.send(make_cancel_request(3));
  const RawReply after = client.call({.key = server.key, .id = 4, .operation = "_non_existent"});
  CHECK(after.id() == 4);  // request 3 has no reply
}

TEST_CASE("a coroutine without a result replies when it ends") {
  OtherThread elsewhere;
  std::atomic<int> ended{0};
  const ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    request.end_of_arguments();
    const auto wait = [](OtherThread& there, std::atomic<int>& ends) -> task<void> {
      co_await there;
      ++ends;
    };
    async::serve<void>(request, [&] { return wait(elsewhere, ended); });
  });
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key}).status() == 0);
  CHECK(ended == 1);
}

TEST_CASE("a coroutine has a stop token, which costs an allocation, only if it asks for one") {
  const auto work = [](std::uint32_t asks) -> task<std::uint32_t> {
    if (asks == 0) co_return 0;
    const std::stop_token token = co_await stop_token_of_this_task();
    co_return std::uint32_t{token.stop_possible()};
  };
  std::atomic<std::size_t> allocated = 0;
  const ServerFixture server(ThreadStrategy::reactive,  // allocations_of counts one thread
                             [&, serve = serving(work)](orb::ServerRequest& request) {
                               allocated = allocations_of([&] { serve(request); }).count;
                             });
  RawClient client(server.endpoint);
  const auto allocations_in_upcall = [&](std::uint32_t asks) {
    for (int warm = 0; warm != 3; ++warm)
      CHECK(client.call({.key = server.key, .argument = asks}).result() == asks);
    return allocated.load();
  };
  const std::size_t without = allocations_in_upcall(0);
  CHECK(allocations_in_upcall(1) == without + 1);
}

TEST_CASE("PortableServer::Current belongs to the upcall: a coroutine has it until it suspends") {
  OtherThread elsewhere;
  CORBA::object_reference<PortableServer::Current> current;
  ServerFixture server(each_strategy(), serving([&](std::uint32_t) -> task<std::uint32_t> {
                         const bool before = !current->get_object_id().empty();
                         co_await elsewhere;
                         CHECK_THROWS_AS((void)current->get_object_id(),
                                         PortableServer::Current::NoContext);
                         co_return std::uint32_t{before};
                       }));
  current = initial<PortableServer::Current>(server.orb.core(), "POACurrent");
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).result() == 1);
  CHECK(invoke_act(server.object) == 1);
}

#ifndef PERIGEE_TEST_SANITIZED  // with a sanitizer the pool stores no memory

namespace {

/// Calls a server with one thread 50 times. Returns the fewest allocations between two requests.
std::size_t least_allocations(const ServerFixture& sink, ObjectRef& next, Coroutine work) {
  std::atomic<std::size_t> least = 1'000;
  std::size_t before = 0;
  ServerFixture middle(ThreadStrategy::reactive,
                       [&, serve = serving(std::move(work))](orb::ServerRequest& request) {
                         const std::size_t now = allocations().count;
                         least = std::min(least.load(), now - std::exchange(before, now));
                         serve(request);
                       });
  next = middle.orb.core().make_object(sink.object->_reference()->ior());
  RawClient client(middle.endpoint);
  for (int round = 0; round != 50; ++round)
    CHECK(client.call({.key = middle.key, .argument = 1}).result() == 2);
  next = nullptr;
  return least;
}

}  // namespace

TEST_CASE("a coroutine that awaits several calls at once allocates nothing in the steady state") {
  const ServerFixture sink(ThreadStrategy::thread_per_connection);
  ObjectRef next;
  const auto one = [&next]() -> task<std::uint32_t> {
    const std::uint32_t result = co_await act(next);
    co_return result;
  };
  const auto work = [one](std::uint32_t) -> task<std::uint32_t> {
    const auto [first, second] = co_await when_all(one(), one());
    co_return first == second ? first : 0;
  };
  CHECK(least_allocations(sink, next, work) == 0);
}

TEST_CASE("a coroutine that sleeps allocates nothing in the steady state") {
  const ServerFixture sink(ThreadStrategy::thread_per_connection);
  ObjectRef next;
  const auto work = [&next](std::uint32_t argument) -> task<std::uint32_t> {
    const bool slept = co_await sleep_for(loop_of(next), std::chrono::microseconds(1));
    co_return slept ? argument + 1 : 0;
  };
  CHECK(least_allocations(sink, next, work) == 0);
}

TEST_CASE("a coroutine that awaits a call allocates nothing in the steady state") {
  const ServerFixture sink(ThreadStrategy::thread_per_connection);
  ObjectRef next;
  const auto inner = [&next]() -> task<std::uint32_t> {
    const std::uint32_t result = co_await act(next);
    co_return result;
  };
  const auto work = [inner](std::uint32_t) -> task<std::uint32_t> {
    const std::uint32_t result = co_await inner();
    co_return result;
  };
  CHECK(least_allocations(sink, next, work) == 0);
}
#endif

TEST_CASE("cancelling a request does not stop the stop token of an earlier request") {
  std::stop_token given;
  std::atomic<int> stopped{0};
  ObjectRef object;
  const ServerFixture server(
      ThreadStrategy::reactive, serving([&](std::uint32_t argument) -> task<std::uint32_t> {
        if (argument == 0) {
          const auto inner = [](std::stop_token& token) -> task<std::uint32_t> {
            token = co_await stop_token_of_this_task();
            co_return 0;
          };
          const auto both = co_await when_all(inner(given), inner(given));
          co_return std::get<0>(both);
        }
        const bool slept = co_await sleep_for(loop_of(object), std::chrono::hours(1));
        if (!slept) ++stopped;
        co_return 1;
      }));
  object = server.object;
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .id = 1, .argument = 0}).result() == 0);
  for (std::uint32_t id = 2; id != 6; ++id) {
    client.send(make_request({.key = server.key, .id = id, .argument = 1}));
    client.send(make_cancel_request(id));
  }
  (void)client.call({.key = server.key, .id = 9, .operation = "_non_existent"});
  while (stopped != 4) std::this_thread::yield();
  CHECK_FALSE(given.stop_possible());  // its state serves no other request
  CHECK_FALSE(given.stop_requested());
}

TEST_CASE("cancelling a request cancels the call that its coroutine awaits, now or later") {
  bool before = false;
  SUBCASE("while it waits") {}
  SUBCASE("before it waits") { before = true; }
  Mute mute;
  std::binary_semaphore begun{0};
  std::binary_semaphore go_on{0};
  std::promise<std::uint32_t> ended;
  OtherThread elsewhere;
  Tiers* all = nullptr;
  Tiers tiers(
      [&](std::uint32_t) -> task<std::uint32_t> {
        co_await elsewhere;
        begun.release();
        go_on.acquire();
        try {
          (void)co_await act(all->sink_object);
        } catch (const CORBA::NO_RESPONSE& exception) {
          ended.set_value(exception.minor());
        }
        co_return 1;
      },
      mute.sink());
  all = &tiers;
  RawClient client(tiers.middle.endpoint);
  client.send(make_request({.key = tiers.middle.key, .id = 3, .argument = 1}));
  begun.acquire();
  if (!before) {
    go_on.release();
    mute.arrived.acquire();
  }
  client.send(make_cancel_request(3));
  (void)client.call({.key = tiers.middle.key, .id = 4, .operation = "_non_existent"});
  if (before) go_on.release();
  CHECK(ended.get_future().get() == orb::minor_cancelled);
  (void)mute.end();
}

TEST_CASE("a coroutine and the tasks that it awaits share one stop token") {
  const auto inner = []() -> task<std::stop_token> {
    const std::stop_token token = co_await stop_token_of_this_task();
    co_return token;
  };
  const auto work = [inner](std::uint32_t) -> task<std::uint32_t> {
    const std::stop_token inners = co_await inner();
    const std::stop_token own = co_await stop_token_of_this_task();
    const bool same = own.stop_possible() && own == inners;
    co_return std::uint32_t{same};
  };
  const ServerFixture server(each_strategy(), serving(work));
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).result() == 1);
}

TEST_CASE("a coroutine and all its tasks know how long the caller waits") {
  const auto inner = []() -> task<bool> {
    const auto left = co_await remaining_time_of_this_task();
    co_return left && *left > std::chrono::seconds(0) && *left <= std::chrono::hours(1);
  };
  OtherThread elsewhere;
  Tiers tiers(
      [&](std::uint32_t) -> task<std::uint32_t> {
        co_await elsewhere;
        const bool own = co_await inner();
        const auto both = co_await when_all(inner(), inner());
        co_return std::uint32_t{own} + std::get<0>(both) + std::get<1>(both);
      },
      add_one);
  CHECK(invoke_act(tiers.limited_to(std::chrono::hours(1))) == 3);
  CHECK(invoke_act(tiers.object) == 0);  // without a limit
}

TEST_CASE("a call that a coroutine makes before it suspends passes the time limit on") {
  Tiers* all = nullptr;
  Tiers tiers(
      [&](std::uint32_t) -> task<std::uint32_t> {
        const std::uint32_t result = co_await act(all->sink_object);
        co_return result;
      },
      answer_is_limited);
  all = &tiers;
  CHECK(invoke_act(tiers.limited_to(std::chrono::hours(1))) == 1);
  CHECK(invoke_act(tiers.object) == 0);
}

TEST_CASE("the time limit of a coroutine's caller ends the call that the coroutine awaits") {
  OtherThread elsewhere;
  Mute mute;
  std::promise<std::string> ended;
  Tiers* all = nullptr;
  Tiers tiers(
      [&](std::uint32_t) -> task<std::uint32_t> {
        co_await elsewhere;  // the upcall has ended
        const ObjectRef sink = all->sink_object;
        try {
          (void)co_await act(sink);
        } catch (const CORBA::SystemException& exception) {
          ended.set_value(exception._name());
        }
        co_return 1;
      },
      mute.sink());
  all = &tiers;
  RawClient client(tiers.middle.endpoint);  // sends no CancelRequest
  client.send(make_request({.key = tiers.middle.key,
                            .argument = 1,
                            .context_id = 0x50474501,
                            .context = octets(0, 0, 0, 0, 0, 0, 0, 0,               // big-endian
                                              0, 0, 0, 0, 0, 0x03, 0x0d, 0x40)}));  // 200 ms
  const std::string how = ended.get_future().get();
  CHECK((how == "TIMEOUT" || how == "NO_RESPONSE"));  // by the time limit, or by the stop token
  (void)mute.end();
}

TEST_CASE("a coroutine that its caller's time limit stops replies TIMEOUT, COMPLETED_MAYBE") {
  const TestOrb orb;
  const auto stopped = []() -> task<std::uint32_t> {
    throw CORBA::NO_RESPONSE(orb::minor_cancelled, CORBA::COMPLETED_NO);  // of its own call
    co_return 0;
  };
  const auto servant = make_servant([stopped](orb::ServerRequest& request) {
    async::serve<std::uint32_t>(
        request, stopped, [](cdr::Encoder& encoder, std::uint32_t result) { encoder << result; });
  });
  FakeRequest request(orb.key_of(orb.root()->servant_to_reference(servant)));
  request.end_time();
  orb.root()->the_POAManager()->activate();
  orb.dispatcher().dispatch(request);
  CHECK(request.answer() == "system TIMEOUT");
  CHECK(request.completed() == CORBA::COMPLETED_MAYBE);
}

TEST_CASE("a deadline ends a scope with TIMEOUT, and limits the remaining time of its tasks") {
  bool only_sleeps = false;
  SUBCASE("a call") {}
  SUBCASE("a sleep") { only_sleeps = true; }
  Mute mute;
  std::optional<std::chrono::microseconds> left;
  Tiers* all = nullptr;
  Tiers tiers(
      [&](std::uint32_t) -> task<std::uint32_t> {
        const auto ask = [&]() -> task<> {
          if (only_sleeps)
            (void)co_await sleep_for(loop_of(all->sink_object), std::chrono::hours(1));
          else
            (void)co_await act(all->sink_object);
        };
        auto body = [&ask, &left](scope& tasks) -> task<> {
          tasks.start(ask());
          tasks.start(ask());
          left = co_await remaining_time_of_this_task();
        };
        std::uint32_t timed_out = 0;
        const auto limit = within(loop_of(all->sink_object), std::chrono::milliseconds(30));
        try {
          co_await with_scope(limit, std::move(body));
        } catch (const CORBA::TIMEOUT&) {
          timed_out = 1;
        }
        co_return timed_out;
      },
      mute.sink());
  all = &tiers;
  CHECK(invoke_act(tiers.object) == 1);
  CHECK((left && *left <= std::chrono::milliseconds(30)));
  CHECK(invoke_act(tiers.limited_to(std::chrono::hours(1))) == 1);
  CHECK((left && *left <= std::chrono::milliseconds(30)));
  (void)mute.end();
}

TEST_CASE("tasks of a scope know how long the caller of the servant waits") {
  Tiers tiers(
      [](std::uint32_t) -> task<std::uint32_t> {
        std::uint32_t limited = 0;
        co_await with_scope([&limited](scope&) -> task<> {
          const auto left = co_await remaining_time_of_this_task();
          limited = std::uint32_t{left.has_value()};
        });
        co_return limited;
      },
      add_one);
  CHECK(invoke_act(tiers.limited_to(std::chrono::hours(1))) == 1);
  CHECK(invoke_act(tiers.object) == 0);
}

TEST_CASE("the caller's time limit ends a call whose sink replies too late or never") {
  Mute mute;
  Tiers* all = nullptr;
  Tiers tiers(
      [&](std::uint32_t) -> task<std::uint32_t> {
        const std::uint32_t result = co_await act(all->sink_object);
        co_return result;
      },
      mute.sink());
  all = &tiers;
  const ObjectRef hurried = tiers.limited_to(std::chrono::milliseconds(30));
  for (int round = 0; round < 3; ++round)
    CHECK_THROWS_AS((void)invoke_act(hurried), CORBA::TIMEOUT);
  for (skeleton::Answer& answer : mute.end())
    answer.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{1}; });  // too late
}

TEST_CASE("when a sink dies, each of 1,000 requests to the middle tier gets an error") {
  constexpr std::uint32_t count = 1'000;
  std::mutex mutex;
  std::vector<skeleton::Answer> kept;
  bool dead = false;
  std::atomic<std::uint32_t> arrived = 0;
  auto sink =
      std::make_unique<ServerFixture>(ThreadStrategy::reactive, [&](orb::ServerRequest& request) {
        const std::lock_guard lock(mutex);
        if (dead) throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO);
        kept.emplace_back(request);
        ++arrived;
        arrived.notify_one();
      });
  ObjectRef sink_object;
  orb::Settings settings = server_settings(each_strategy());
  settings.requests_per_connection_max = count;
  {
    ServerFixture middle(settings, serving([&](std::uint32_t) -> task<std::uint32_t> {
                           const std::uint32_t result = co_await act(sink_object);
                           co_return result;
                         }));
    sink_object = middle.orb.core().make_object(sink->object->_reference()->ior());
    RawClient client(middle.endpoint);
    const std::jthread sender([&] {
      for (std::uint32_t id = 0; id < count; ++id)
        client.send(make_request({.key = middle.key, .id = id, .argument = id}));
    });
    // The sink defers the replies to this many requests of one connection, and refuses the others
    // with TRANSIENT.
    const std::uint32_t deferred = sink->orb.core().settings().requests_per_connection_max;
    for (std::uint32_t seen = arrived; seen < deferred; seen = arrived) arrived.wait(seen);
    sink->orb.core().shutdown(orb::Completion::do_not_wait);
    std::jthread undertaker([&] {
      {
        const std::lock_guard lock(mutex);
        dead = true;
        kept.clear();
      }
      sink.reset();
    });
    std::uint32_t failures = 0;
    for (std::uint32_t received = 0; received < count; ++received)
      if (client.reply().status() == 2) ++failures;
    CHECK(failures == count);
    undertaker.join();
    sink_object = nullptr;
  }
}
