// Idle connections of servers, over TCP: CloseConnection when nothing has passed for the time, not
// while a request is in progress; and clients that do not notice.
#include "orb/context/orb_metrics.h"
#include "orb/server/server_fixture.h"
#include <perigee/orb/stub.h>

#include <random>

using namespace perigee;
using namespace perigee::test;

namespace {

using std::chrono::milliseconds;
using ObjectRef = CORBA::object_reference<CORBA::Object>;

// Within which a busy machine brings a request to a new connection.
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

// The ORB tries once more. On a busy machine a new connection, too, may be idle for some
// milliseconds before its request comes.
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

TEST_CASE("a connection on which nothing passes for the time gets CloseConnection and the end") {
  const ServerFixture server(idle_after(limit, each_strategy()));
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).result() == 2);
  CHECK(client.reply().type() == type_close_connection);
  CHECK(client.at_end());
  RawClient silent(server.endpoint);  // who never asks for anything
  CHECK(silent.reply().type() == type_close_connection);
}

TEST_CASE("a client that does not close after CloseConnection is cut off, others get its place") {
  orb::Settings settings = idle_after(milliseconds(5), each_strategy());
  settings.drain_timeout = milliseconds(5);
  settings.server_connections_max = 1;
  const ServerFixture server(settings);
  const RawClient silent(server.endpoint);
  RawClient second(server.endpoint);
  second.send(make_request({.key = server.key, .argument = 1}));
  CHECK_FALSE(second.receive().empty());  // if only that it came late
}

TEST_CASE("a connection with a request in progress is not idle, however long that takes") {
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

TEST_CASE("of calls on connections that the server closes none is lost, and none is made twice") {
  std::atomic<std::uint32_t> made{0};
  const ServerFixture server(idle_after(milliseconds(5), each_strategy()),
                             [&](orb::ServerRequest& request) {
                               ++made;
                               add_one(request);
                             });
  orb::Settings settings = server_settings(ThreadStrategy::thread_per_connection);
  SUBCASE("where the client closes, too") { settings.client_idle_timeout = milliseconds(5); }
  SUBCASE("where it does not") { settings.client_idle_timeout = {}; }
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

TEST_CASE("a client without calls for the time closes its connection") {
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
