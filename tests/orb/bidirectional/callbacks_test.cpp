// Callbacks over the connections of clients. The references of these clients name a port at which
// nothing listens, so a callback that arrives has come over a connection that the client opened.
#include "orb/bidirectional/both_directions.h"

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <random>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

/// Calls `next` until the argument is 0, and replies with the number of nested calls.
ActingServant::Action counting_down(ObjectRef& next) {
  return [&next](orb::ServerRequest& request) {
    const std::uint32_t left = argument_of(request);
    const std::uint32_t below = left == 0 ? 0 : act(next, left - 1) + 1;
    request.reply([below](cdr::Encoder& encoder) { encoder << below; });
  };
}

/// A server and a client whose objects call each other over the client's connection.
struct BothWays {
  explicit BothWays(ThreadStrategy strategy)
      : server(accepting(strategy), counting_down(callback)),
        client(offering(strategy), counting_down(served)) {
    served = client.see(server.object);
    callback = server.orb.core().make_object(client.object->_reference()->ior());
  }

  ObjectRef callback;  // of the client's object, at the server
  ObjectRef served;    // of the server's object, at the client
  ServerFixture server;
  CalledBack client;
};

}  // namespace

TEST_CASE("a server calls a client back over the client's connection") {
  const ThreadStrategy strategy = each_strategy();
  BothWays pair(strategy);
  CHECK(act(pair.served, 0) == 0);
  CHECK(act(pair.callback, 0) == 0);
  CHECK(pair.server.orb.core().metrics().listen_points_believed == 1);
}

TEST_CASE("callbacks are served within calls, and call the server again") {
  const ThreadStrategy strategy = each_strategy();
  BothWays pair(strategy);
  for (std::uint32_t depth = 1; depth <= 8; ++depth) CHECK(act(pair.served, depth) == depth);
}

TEST_CASE("a oneway upcall calls its client back over the connection that it came over") {
  const ThreadStrategy strategy = each_strategy();
  ObjectRef callback;
  ServerFixture server(accepting(strategy), [&callback](orb::ServerRequest& request) {
    const std::uint32_t argument = argument_of(request);
    if (!request.response_expected()) CHECK(act(callback, argument) == argument + 1);
    request.reply([argument](cdr::Encoder& encoder) { encoder << argument; });
  });
  std::latch called(3);
  const CalledBack client(offering(strategy), [&called](orb::ServerRequest& request) {
    add_one(request);
    called.count_down();
  });
  callback = server.orb.core().make_object(client.object->_reference()->ior());
  const ObjectRef served = client.see(server.object);
  CHECK(act(served, 7) == 7);
  static constexpr stub::Operation oneway{"act", stub::Operation::Kind::oneway, {}};
  for (std::uint32_t number = 0; number < 3; ++number)
    stub::invoke(*served, oneway, [number](cdr::Encoder& encoder) { encoder << number; }, nullptr);
  called.wait();
  CHECK(act(served, 8) == 8);
}

// A call that meets two closes in a row fails: then its second connection was closed before the
// request arrived.
TEST_CASE("while either side closes idle connections, calls are executed once or fail unexecuted") {
  const ThreadStrategy strategy = each_strategy();
  orb::Settings accepts = accepting(strategy);
  orb::Settings offers = offering(strategy);
  SUBCASE("the server closes") { accepts.idle_timeout = std::chrono::milliseconds(2); }
  SUBCASE("the client closes") { offers.client_idle_timeout = std::chrono::milliseconds(2); }
  std::atomic<std::uint32_t> executed{0};
  ServerFixture server(accepts, [&executed](orb::ServerRequest& request) {
    executed.fetch_add(1);
    add_one(request);
  });
  const CalledBack client(offers);
  const ObjectRef served = client.see(server.object);
  std::minstd_rand random;  // NOLINT: the same pauses every time
  std::uint32_t refused = 0;
  constexpr std::uint32_t calls = 100;
  for (std::uint32_t number = 0; number < calls; ++number) {
    const auto over =
        Deadline::after(std::chrono::microseconds(random() % 5000), steady_clock().now());
    while (!over.passed(steady_clock().now())) std::this_thread::yield();
    try {
      const std::uint32_t result = act(served, number);
      CHECK(result == number + 1);
    } catch (const CORBA::SystemException& exception) {
      CAPTURE(exception.what());
      CHECK(exception.completed() == CORBA::COMPLETED_NO);
      refused += 1;
    }
  }
  CHECK(executed.load() == calls - refused);
}

TEST_CASE("a connection that has carried callbacks is not closed as idle") {
  const ThreadStrategy strategy = each_strategy();
  orb::Settings accepts = accepting(strategy);
  orb::Settings offers = offering(strategy);
  for (orb::Settings* const settings : {&accepts, &offers})
    settings->idle_timeout = settings->client_idle_timeout = std::chrono::milliseconds(2);
  ServerFixture server(accepts);
  const CalledBack client(offers);
  const ObjectRef served = client.see(server.object);
  const ObjectRef callback = server.orb.core().make_object(client.object->_reference()->ior());
  for (bool called_back = false; !called_back;) {
    try {
      called_back = act(served, 1) == 2 && act(callback, 1) == 2;
    } catch (
        const CORBA::TRANSIENT&) {  // this thread was delayed, and the connection closed as idle
    }
  }
  const auto over = Deadline::after(std::chrono::milliseconds(20), steady_clock().now());
  while (!over.passed(steady_clock().now())) std::this_thread::yield();
  CHECK(act(callback, 1) == 2);
}

TEST_CASE("threads of both sides call each other over one connection") {
  const ThreadStrategy strategy = each_strategy();
  BothWays pair(strategy);
  CHECK(act(pair.served, 0) == 0);
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&pair, number] {
      const ObjectRef& target = number % 2 == 0 ? pair.served : pair.callback;
      for (int round = 0; round < 100; ++round) CHECK(act(target, 1) == 1);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(pair.server.orb.core().metrics().listen_points_believed == 1);
}

TEST_CASE("without the option, or with the policy NORMAL, callbacks use no connection of clients") {
  orb::Settings settings = accepting(ThreadStrategy::automatic);
  bool normal = false;
  SUBCASE("without the option") { settings.accept_bidirectional = false; }
  SUBCASE("with the policy") { normal = true; }
  ServerFixture server(settings);
  const CalledBack client(offering(ThreadStrategy::automatic));
  CHECK(act(client.see(server.object), 1) == 2);
  orb::OrbCore& core = server.orb.core();
  ObjectRef callback = core.make_object(client.object->_reference()->ior());
  if (normal)
    callback = callback->_set_policy_overrides({bidirectional_policy(core, BiDirPolicy::NORMAL)},
                                               CORBA::SetOverrideType::SET_OVERRIDE);
  CHECK_THROWS_AS(act(callback, 1), CORBA::TRANSIENT);
}

TEST_CASE("a server reaches only objects whose POA has the policy BOTH") {
  const ThreadStrategy strategy = each_strategy();
  ServerFixture server(accepting(strategy));
  const CalledBack client(offering(strategy));
  CHECK(act(client.see(server.object), 1) == 2);
  const ObjectRef hidden = client.orb.root()->servant_to_reference(make_servant(add_one));
  orb::OrbCore& core = server.orb.core();
  CHECK(act(core.make_object(client.object->_reference()->ior()), 1) == 2);
  CHECK_THROWS_AS(act(core.make_object(hidden->_reference()->ior()), 1), CORBA::OBJECT_NOT_EXIST);
}

TEST_CASE("a callback fails with TRANSIENT after the client's connection has ended") {
  const ThreadStrategy strategy = each_strategy();
  ServerFixture server(accepting(strategy));
  ObjectRef callback;
  {
    const CalledBack client(offering(strategy));
    CHECK(act(client.see(server.object), 1) == 2);
    callback = server.orb.core().make_object(client.object->_reference()->ior());
    CHECK(act(callback, 1) == 2);
  }
  std::uint32_t minor = 0;
  try {
    (void)act(callback, 1);
  } catch (const CORBA::TRANSIENT& exception) {
    minor = exception.minor();
  }
  CHECK(minor == orb::minor_peer_gone);
}

TEST_CASE("the end of the connection ends a callback that waits") {
  const ThreadStrategy strategy = each_strategy();
  ServerFixture server(accepting(strategy));
  std::promise<void> called;
  auto client = std::make_unique<CalledBack>(offering(strategy), [&](orb::ServerRequest& request) {
    called.set_value();
    delete request.defer();  // the reply is NO_RESPONSE, unless the connection ends before
  });
  CHECK(act(client->see(server.object), 1) == 2);
  const ObjectRef callback = server.orb.core().make_object(client->object->_reference()->ior());
  std::thread stopping([&] {
    called.get_future().wait();
    client.reset();
  });
  CHECK_THROWS_AS((void)act(callback, 1), CORBA::SystemException);
  stopping.join();
}
