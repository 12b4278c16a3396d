// Calls out of upcalls: servers that call each other, and themselves, from within requests.
#include "orb/server/server_fixture.h"
#include <perigee/orb/stub.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <set>

using namespace perigee;
using namespace perigee::test;

namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;

std::uint32_t act(const ObjectRef& target, std::uint32_t argument) {
  static constexpr stub::Operation operation{"act", stub::Operation::Kind::twoway, {}};
  std::uint32_t result = 0;
  stub::invoke(
      *target, operation, [argument](cdr::Encoder& encoder) { encoder << argument; },
      [&result](cdr::Decoder& decoder) { decoder >> result; });
  return result;
}

/// Calls `next` until the argument is 0, and replies with the number of nested calls.
ActingServant::Action counting_down(ObjectRef& next) {
  return [&next](orb::ServerRequest& request) {
    std::uint32_t left = 0;
    request.arguments() >> left;
    request.end_of_arguments();
    const std::uint32_t below = left == 0 ? 0 : act(next, left - 1) + 1;
    request.reply([below](cdr::Encoder& encoder) { encoder << below; });
  };
}

/// The same object, seen from another ORB.
ObjectRef seen_from(const ServerFixture& server, const ObjectRef& object) {
  return server.orb.core().make_object(object->_reference()->ior());
}

/// Two servers whose objects call each other, and a client of the first.
struct PingPong {
  explicit PingPong(ThreadStrategy strategy) : PingPong(server_settings(strategy)) {}
  explicit PingPong(const orb::Settings& settings)
      : first(settings, counting_down(second_from_first)),
        second(settings, counting_down(first_from_second)),
        client(settings),
        object(client.core().make_object(first.object->_reference()->ior())) {
    second_from_first = seen_from(first, second.object);
    first_from_second = seen_from(second, first.object);
  }

  ObjectRef second_from_first;
  ObjectRef first_from_second;
  ServerFixture first;
  ServerFixture second;
  TestOrb client;
  ObjectRef object;
};

}  // namespace

TEST_CASE("an upcall may call back to the server that it came from") {
  const PingPong servers(each_strategy());
  CHECK(act(servers.object, 0) == 0);
  CHECK(act(servers.object, 2) == 2);
  CHECK(act(servers.object, 6) == 6);
  CHECK(act(servers.object, 2) == 2);
}

TEST_CASE("a pool of one thread serves a callback") {
  orb::Settings settings = server_settings(ThreadStrategy::thread_pool);
  settings.threads = 1;
  const PingPong servers(settings);
  for (std::uint32_t depth = 0; depth < 20; ++depth) CHECK(act(servers.object, depth) == depth);
}

namespace {

/// A pool with an object of a SINGLE_THREAD_MODEL. Each of its upcalls calls another server, which
/// calls back to a second object of the pool, once two requests are in progress.
class CalledBackPool {
 public:
  explicit CalledBackPool(const orb::Settings& settings)
      : pool_(settings), other_(ThreadStrategy::thread_pool, [this](orb::ServerRequest& request) {
          while (!crowded_) crowded_ = pool_.orb.core().requests_in_progress() >= 2;
          ask(request, plain_);
        }) {
    const auto& root = pool_.orb.root();
    const auto single = root->create_POA(
        "single", root->the_POAManager(),
        {root->create_thread_policy(PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL)});
    const auto object = single->id_to_reference(single->activate_object(
        make_servant([this](orb::ServerRequest& request) { ask(request, helper_); })));
    key_ = pool_.orb.key_of(object);
    helper_ = seen_from(pool_, other_.object);
    plain_ = seen_from(other_, pool_.object);
  }
  [[nodiscard]] const auto& endpoint() const { return pool_.endpoint; }
  [[nodiscard]] const Octets& key() const { return key_; }

 private:
  static void ask(orb::ServerRequest& request, const ObjectRef& next) {
    const std::uint32_t result = act(next, 0) + 1;
    request.reply([result](cdr::Encoder& encoder) { encoder << result; });
  }

  ObjectRef helper_;
  ObjectRef plain_;
  std::atomic<bool> crowded_{false};
  Octets key_;
  ServerFixture pool_;
  ServerFixture other_;
};

}  // namespace

TEST_CASE("a pool serves a callback while its other threads wait for a SINGLE_THREAD_MODEL") {
  const CalledBackPool pool(server_settings(ThreadStrategy::thread_pool));
  RawClient first(pool.endpoint());
  RawClient second(pool.endpoint());
  first.send(make_request({.key = pool.key()}));
  second.send(make_request({.key = pool.key()}));
  CHECK(first.reply().result() == 3);
  CHECK(second.reply().result() == 3);
}

TEST_CASE("the last thread of a pool waits a limited time for a SINGLE_THREAD_MODEL") {
  orb::Settings settings = server_settings(ThreadStrategy::thread_pool);
  settings.threads = 1;
  settings.nested_upcall_depth_max = 1;  // one spare thread
  settings.single_thread_wait = std::chrono::milliseconds(100);
  const CalledBackPool pool(settings);
  RawClient first(pool.endpoint());
  RawClient second(pool.endpoint());
  first.send(make_request({.key = pool.key()}));
  second.send(make_request({.key = pool.key()}));
  // The requests may arrive in any order. One is answered, the other request gets TRANSIENT.
  std::multiset<std::uint32_t> statuses;
  for (RawClient* client : {&first, &second}) statuses.insert(client->reply().status());
  constexpr std::uint32_t no_exception = 0;
  constexpr std::uint32_t system_exception = 2;
  CHECK(statuses == std::multiset<std::uint32_t>{no_exception, system_exception});
}

TEST_CASE("upcalls nest up to a limit, then calls raise NO_RESOURCES and servers go on serving") {
  ThreadStrategy strategy = ThreadStrategy::reactive;
  SUBCASE("reactive") {}
  SUBCASE("thread-pool") { strategy = ThreadStrategy::thread_pool; }
  SUBCASE("reactor-per-core") { strategy = ThreadStrategy::reactor_per_core; }
  const PingPong servers(strategy);
  try {
    (void)act(servers.object, 200);
    FAIL("nested 200 deep");
  } catch (const CORBA::NO_RESOURCES& exception) {
    CHECK(exception.completed() == CORBA::COMPLETED_NO);  // refused before it was sent
  }
  CHECK(act(servers.object, 2) == 2);
}

TEST_CASE("an upcall may call an object of its own server, without the network") {
  ObjectRef itself;
  const ServerFixture server(each_strategy(), counting_down(itself));
  itself = server.object;
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 10}).result() == 10);
}

TEST_CASE("servers serve other requests while an upcall waits for a reply") {
  orb::Settings settings = server_settings(ThreadStrategy::reactive);
  settings.threads = 1;
  SUBCASE("reactive") {}
  SUBCASE("thread-pool") { settings.thread_strategy = ThreadStrategy::thread_pool; }
  SUBCASE("reactor-per-core") { settings.thread_strategy = ThreadStrategy::reactor_per_core; }
  std::promise<void> entered;
  std::promise<void> leave;
  const ServerFixture sink(ThreadStrategy::thread_per_connection, [&](orb::ServerRequest& request) {
    entered.set_value();
    leave.get_future().wait();
    request.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{7}; });
  });
  ObjectRef next;
  const ServerFixture middle(settings, counting_down(next));
  next = seen_from(middle, sink.object);
  RawClient waiting(middle.endpoint);
  waiting.send(make_request({.key = middle.key, .id = 1, .argument = 1}));
  entered.get_future().wait();
  RawClient other(middle.endpoint);
  CHECK(other.call({.key = middle.key, .id = 2, .argument = 0}).result() == 0);
  waiting.send(make_request({.key = middle.key, .id = 3, .argument = 0}));
  CHECK(waiting.reply().id() == 3);  // overtakes the reply to request 1
  waiting.end_sending();             // the half-closed connection still gets its reply
  CHECK(other.call({.key = middle.key, .id = 4, .argument = 0}).result() == 0);
  leave.set_value();
  CHECK(waiting.reply().result() == 8);
}
