// Idle connections of servers, over TCP: CloseConnection after the idle time-out, but not while a
// request is in progress. Some clients do not react to CloseConnection.
#include "orb/context/orb_metrics.h"
#include "orb/server/server_fixture.h"
#include <perigee/orb/stub.h>

#include <random>

using namespace perigee;
using namespace perigee::test;

namespace {

using std::chrono::milliseconds;
using ObjectRef = CORBA::object_reference<CORBA::Object>;

// A busy machine delivers a request on a new connection within this time.
constexpr milliseconds limit{200};

constexpr stub::Operation act_operation{"act", stub::Operation::Kind::twoway, {}};

orb::Settings idle_after(milliseconds idle_timeout, ThreadStrategy strategy) {
  orb::Settings settings = server_settings(strategy);
  settings.idle_timeout = idle_timeout;
  return settings;
}

std::uint32_t act(const ObjectRef& object, std::uint32_t argument) {
  std::uint32_t result = 0;
  stub::invoke(
      *object, act_operation, [argument](cdr::Encoder& encoder) { encoder << argument; },
      [&result](cdr::Decoder& decoder) { decoder >> result; });
  return result;
}

// Repeats the call until it succeeds. The ORB repeats it only once. On a busy machine, its second
// connection may also be closed as idle before the request arrives.
std::uint32_t act_in_the_end(const ObjectRef& object, std::uint32_t argument) {
  for (;;) {
    try {
      return act(object, argument);
    } catch (const CORBA::TRANSIENT& exception) {
      CHECK(exception.completed() == CORBA::COMPLETED_NO);
    }
  }
}

void pass_time(milliseconds time) {
  const Deadline over = Deadline::after(time, steady_clock().now());
  while (!over.passed(steady_clock().now())) std::this_thread::yield();
}

}  // namespace

TEST_CASE("a connection gets CloseConnection and ends after its idle time-out") {
  const ServerFixture server(idle_after(limit, each_strategy()));
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).result() == 2);
  CHECK(client.reply().type() == type_close_connection);
  CHECK(client.at_end());
  RawClient silent(server.endpoint);  // never sends a request
  CHECK(silent.reply().type() == type_close_connection);
}

TEST_CASE("a client that keeps its connection after CloseConnection is disconnected") {
  orb::Settings settings = idle_after(milliseconds(5), each_strategy());
  settings.drain_timeout = milliseconds(5);
  settings.server_connections_max = 1;
  const ServerFixture server(settings);
  const RawClient silent(server.endpoint);
  RawClient second(server.endpoint);
  second.send(make_request({.key = server.key, .argument = 1}));
  CHECK_FALSE(second.receive().empty());  // CloseConnection, if the request came late
}

TEST_CASE("a connection with a request in progress is not idle, however long the upcall takes") {
  const ServerFixture server(idle_after(limit, each_strategy()), [](orb::ServerRequest& request) {
    pass_time(2 * limit);
    add_one(request);
  });
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).result() == 2);
  CHECK(client.reply().type() == type_close_connection);
}

TEST_CASE("a connection whose request waits for a POAManager is not idle") {
  const ServerFixture server(idle_after(limit, each_strategy()));
  const auto other = server.orb.root()->create_POA("other", nullptr, {});
  other->the_POAManager()->activate();
  const auto id = other->activate_object(make_servant(add_one));
  const Octets key = server.orb.key_of(other->id_to_reference(id));
  server.orb.root()->the_POAManager()->hold_requests(false);
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  CHECK(client.call({.key = key, .id = 2, .argument = 2}).result() == 3);  // by another manager
  pass_time(2 * limit);
  server.orb.root()->the_POAManager()->activate();
  CHECK(client.reply().result() == 2);
}

TEST_CASE("calls on connections that the server closes are each executed once") {
  std::atomic<std::uint32_t> made{0};
  const ServerFixture server(idle_after(milliseconds(5), each_strategy()),
                             [&](orb::ServerRequest& request) {
                               ++made;
                               add_one(request);
                             });
  orb::Settings settings = server_settings(ThreadStrategy::thread_per_connection);
  SUBCASE("the client also closes") { settings.client_idle_timeout = milliseconds(5); }
  SUBCASE("the client never closes") { settings.client_idle_timeout = {}; }
  const TestOrb client(settings);
  const ObjectRef object = client.core().make_object(server.object->_reference()->ior());
  std::minstd_rand random;  // NOLINT: the same pauses every time
  constexpr std::uint32_t calls = 100;
  for (std::uint32_t call = 0; call < calls; ++call) {
    CHECK(act_in_the_end(object, call) == call + 1);
    pass_time(milliseconds(random() % 8));
  }
  CHECK(made == calls);
}

TEST_CASE("a client closes its connection after the idle time-out of the client") {
  const ServerFixture server(each_strategy());
  orb::Settings settings = server_settings(ThreadStrategy::thread_per_connection);
  settings.client_idle_timeout = milliseconds(5);
  const TestOrb client(settings);
  CHECK(act(client.core().make_object(server.object->_reference()->ior()), 1) == 2);
  const auto open = [&] {
    return client.core().metrics().client_traffic.totals().connections_open;
  };
  while (open() != 0) std::this_thread::yield();
}
