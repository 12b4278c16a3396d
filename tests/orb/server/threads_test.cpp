// The thread that reads during an upcall: pipelining, order, nesting, holding, limits, draining.
#include "orb/server/held_pair.h"
#include "orb/server/server_fixture.h"
#include "orb/values/system_exceptions.h"
#include "support/allocations.h"
#include "support/await_condition.h"
#include "support/process_threads.h"
#include <perigee/orb/metrics.h>
#include <perigee/orb/stub.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <future>
#include <latch>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

/// The strategies under which requests of one connection run at the same time.
orb::Settings each_parallel() {
  ThreadStrategy strategy = ThreadStrategy::automatic;
  SUBCASE("auto") {}
  SUBCASE("thread-per-connection") { strategy = ThreadStrategy::thread_per_connection; }
  SUBCASE("thread-pool") { strategy = ThreadStrategy::thread_pool; }
  return server_settings(strategy);
}

void call_act(const CORBA::object_reference<CORBA::Object>& target) {
  static constexpr stub::Operation operation{"act", stub::Operation::Kind::twoway, {}};
  stub::invoke(*target, operation, nullptr, nullptr);
}

/// Request 1 returns only after request 2 has been in its upcall.
class Rendezvous {
 public:
  void operator()(orb::ServerRequest& request) {
    if (argument_of(request) == 1) {
      first_entered_.set_value();
      second_entered_.get_future().wait();
    } else {
      second_entered_.set_value();
    }
  }
  void await_first() { first_entered_.get_future().wait(); }

 private:
  std::promise<void> first_entered_;
  std::promise<void> second_entered_;
};

}  // namespace

TEST_CASE("all pipelined requests get replies") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  Octets batch;
  for (std::uint32_t id = 0; id < 50; ++id)
    batch = batch + make_request({.key = server.key, .id = id, .argument = id});
  client.send(batch);
  std::vector<std::uint32_t> ids;
  for (int count = 0; count < 50; ++count) {
    const RawReply reply = client.reply();
    CHECK(reply.result() == reply.id() + 1);
    ids.push_back(reply.id());
  }
  std::ranges::sort(ids);
  CHECK(std::ranges::adjacent_find(ids) == ids.end());
  CHECK(ids.back() == 49);
}

TEST_CASE("replies to pipelined requests are whole messages, whatever the size of fragments") {
  const ThreadStrategy strategy = each_strategy();
  const ServerFixture server(
      TestParts{.settings = server_settings(strategy), .limits = {.fragment_size = 64}});
  RawClient client(server.endpoint);
  constexpr std::uint32_t count = 100;
  Octets batch;
  for (std::uint32_t id = 0; id < count; ++id)
    batch = batch + make_request({.key = server.key, .id = id, .argument = id});
  client.send(batch);
  std::set<std::uint32_t> ids;
  for (std::uint32_t index = 0; index < count; ++index) {
    const RawReply reply = client.reply();
    REQUIRE(reply.type() == type_reply);
    CHECK(reply.octet(6) == 1);  // little-endian, and no more fragments
    CHECK(reply.result() == reply.id() + 1);
    ids.insert(reply.id());
  }
  CHECK(ids.size() == count);
  server.orb.core().shutdown(orb::Completion::wait);
  const auto metrics = server.orb.core().metrics_snapshot();
  const auto sent = metrics.value("perigee_sent_messages_total", {{"side", "server"}});
  CHECK(sent == count + 1);  // with CloseConnection
}

TEST_CASE("pipelined requests run at the same time") {
  Rendezvous rendezvous;
  const ServerFixture server(each_parallel(), std::ref(rendezvous));
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1, .argument = 1}) +
              make_request({.key = server.key, .id = 2, .argument = 2}));
  CHECK(client.reply().id() + client.reply().id() == 3);
}

TEST_CASE("a request that arrives during a long upcall on its connection is served") {
  Rendezvous rendezvous;
  const ServerFixture server(each_parallel(), std::ref(rendezvous));
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1, .argument = 1}));
  rendezvous.await_first();
  client.send(make_request({.key = server.key, .id = 2, .argument = 2}));
  CHECK(client.reply().id() + client.reply().id() == 3);
}

TEST_CASE("a request that arrives during a oneway is served during the next two-way request") {
  constexpr std::uint32_t oneway = 0;
  std::promise<void> entered;
  std::promise<void> sent;
  Rendezvous rendezvous;
  orb::Settings settings = each_parallel();
  settings.threads = 3;
  const ServerFixture server(settings, [&](orb::ServerRequest& request) {
    if (!request.response_expected()) {
      CHECK(argument_of(request) == oneway);
      entered.set_value();
      sent.get_future().wait();
      // The server has time to read the request that has arrived, if it reads during a oneway.
      return std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    rendezvous(request);
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 9, .response_flags = 0, .argument = oneway}) +
              make_request({.key = server.key, .id = 1, .argument = 1}));
  entered.get_future().wait();
  client.send(make_request({.key = server.key, .id = 2, .argument = 2}));
  sent.set_value();
  CHECK(client.reply().id() + client.reply().id() == 3);
}

TEST_CASE("the reply to a cancelled request is dropped") {
  std::promise<void> leave;
  const ServerFixture server(each_parallel(), [&](orb::ServerRequest& request) {
    if (argument_of(request) == 1) leave.get_future().wait();
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1, .argument = 1}) + make_cancel_request(1) +
              make_request({.key = server.key, .id = 2, .argument = 2}));
  CHECK(client.reply().id() == 2);
  leave.set_value();
  CHECK(client.call({.key = server.key, .id = 3, .argument = 3}).id() == 3);
}

TEST_CASE("threads that poll before they sleep find messages, and end with the server") {
  orb::Settings settings = server_settings(each_strategy());
  settings.busy_poll = std::chrono::microseconds(100);
  const ServerFixture server(settings);
  RawClient client(server.endpoint);
  for (std::uint32_t id = 0; id < 20; ++id)
    CHECK(client.call({.key = server.key, .id = id, .argument = id}).result() == id + 1);
}

TEST_CASE("oneways are executed in the order of their arrival") {
  std::mutex mutex;
  std::vector<std::uint32_t> seen;
  const ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    const std::uint32_t value = argument_of(request);
    const std::lock_guard lock(mutex);
    seen.push_back(value);
  });
  RawClient client(server.endpoint);
  Octets batch;
  for (std::uint32_t id = 0; id < 100; ++id)
    batch =
        batch + make_request({.key = server.key, .id = id, .response_flags = 0, .argument = id});
  client.send(batch);
  CHECK(client.call({.key = server.key, .id = 1000, .argument = 100}).id() == 1000);
  const std::lock_guard lock(mutex);
  REQUIRE(seen.size() == 101);
  CHECK(std::ranges::is_sorted(seen));
}

TEST_CASE("SYNC_WITH_SERVER gets one reply, before the upcall ends") {
  std::promise<void> leave;
  const ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    if (argument_of(request) != 1) return;
    leave.get_future().wait();
    throw CORBA::NO_PERMISSION();
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1, .response_flags = 1, .argument = 1}));
  const RawReply reply = client.reply();
  CHECK(reply.id() == 1);
  CHECK(reply.status() == 0);
  leave.set_value();
  CHECK(client.call({.key = server.key, .id = 2, .argument = 2}).id() == 2);
}

TEST_CASE("SYNC_WITH_SERVER reports that the object does not exist") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  const RawReply reply = client.call({.key = octets('x'), .response_flags = 1});
  CHECK(reply.repository_id() == "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0");
}

TEST_CASE("oneways get no reply, not even an exception") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  client.send(make_request({.key = octets('x'), .id = 1, .response_flags = 0}));
  CHECK(client.call({.key = server.key, .id = 2, .argument = 1}).id() == 2);
}

TEST_CASE("held requests get their replies when the manager becomes active") {
  const ServerFixture server(each_strategy());
  server.orb.root()->the_POAManager()->hold_requests(false);
  RawClient first(server.endpoint);
  RawClient second(server.endpoint);
  first.send(make_request({.key = server.key, .id = 1, .argument = 1}));
  second.send(make_request({.key = server.key, .id = 2, .argument = 2}));
  server.orb.root()->the_POAManager()->activate();
  CHECK(first.reply().result() == 2);
  CHECK(second.reply().result() == 3);
}

TEST_CASE("a server keeps a limited number of held requests of one client") {
  orb::Settings settings = server_settings(ThreadStrategy::reactive);
  SUBCASE("reactive") {}
  SUBCASE("thread-pool") { settings.thread_strategy = ThreadStrategy::thread_pool; }
  settings.held_requests_max = 1;
  const ServerFixture server(settings);
  server.orb.root()->the_POAManager()->hold_requests(false);
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1, .argument = 1}));
  const RawReply refused = client.call({.key = server.key, .id = 2, .argument = 2});
  CHECK(refused.repository_id() == "IDL:omg.org/CORBA/TRANSIENT:1.0");
  server.orb.root()->the_POAManager()->activate();
  const RawReply held = client.reply();  // in a pool the second request may overtake the first
  CHECK(held.id() == 3 - refused.id());
  CHECK(held.result() == held.id() + 1);
}

TEST_CASE("the octets of requests that wait for a POAManager are limited") {
  orb::Settings settings = server_settings(each_strategy());
  settings.held_size_max = 150;
  const ServerFixture server(settings);
  const auto manager = server.orb.root()->the_POAManager();
  const Octets request = make_request({.key = server.key, .argument = 1});
  REQUIRE(request.size() > 75);
  REQUIRE(request.size() <= 150);
  for (int round = 0; round < 2; ++round) {  // an ended request leaves room
    manager->hold_requests(false);
    HeldPair pair(server, request);
    pair.check_refusal();
    manager->activate();
    CHECK(pair.held().result() == 2);
    while (server.orb.core().held_size() != 0) std::this_thread::yield();  // after the reply
  }
}

TEST_CASE("a request does not overtake earlier oneways that were held") {
  constexpr std::uint32_t held_count = 20;
  const orb::Settings settings = each_single_thread();
  std::promise<void> leave;
  const ServerFixture slow(ThreadStrategy::thread_per_connection,
                           [&](orb::ServerRequest&) { leave.get_future().wait(); });
  CORBA::object_reference<CORBA::Object> callee;
  std::mutex mutex;
  std::vector<std::uint32_t> seen;
  const ServerFixture server(settings, [&](orb::ServerRequest& request) {
    const std::uint32_t argument = argument_of(request);
    {
      const std::lock_guard lock(mutex);
      seen.push_back(argument);
    }
    if (argument == 0) call_act(callee);  // other requests are served meanwhile
  });
  callee = server.orb.core().make_object(slow.object->_reference()->ior());
  RawClient client(server.endpoint);
  const auto send_oneways = [&](std::uint32_t first, std::uint32_t count) {
    Octets batch;
    for (std::uint32_t id = first; id < first + count; ++id)
      batch =
          batch + make_request({.key = server.key, .id = id, .response_flags = 0, .argument = id});
    client.send(batch + make_locate_request(server.key, 1000, 2));
    CHECK(client.reply().type() == type_locate_reply);  // so the server has read the oneways
  };
  server.orb.root()->the_POAManager()->hold_requests(false);
  send_oneways(0, held_count);
  server.orb.root()->the_POAManager()->activate();
  send_oneways(held_count, 1);
  leave.set_value();
  client.send(make_request({.key = server.key, .id = 2000, .argument = held_count + 1}));
  CHECK(client.reply().id() == 2000);
  const std::lock_guard lock(mutex);
  CHECK(seen.size() == held_count + 2);
  CHECK(std::ranges::is_sorted(seen));
}

TEST_CASE("connections beyond the limit are served when other connections end") {
  orb::Settings settings = server_settings(each_strategy());
  settings.server_connections_max = 1;
  const ServerFixture server(settings);
  auto first = std::make_unique<RawClient>(server.endpoint);
  CHECK(first->call({.key = server.key, .argument = 1}).result() == 2);
  RawClient second(server.endpoint);
  second.send(make_request({.key = server.key, .argument = 2}));
  first.reset();
  CHECK(second.reply().result() == 3);
}

TEST_CASE("a connection that waits to be accepted when the server stops is closed in order") {
  orb::Settings settings = server_settings(each_strategy());
  settings.server_connections_max = 1;
  ServerFixture server(settings);
  RawClient first(server.endpoint);
  CHECK(first.call({.key = server.key, .argument = 1}).result() == 2);
  RawClient second(server.endpoint);
  second.send(make_request({.key = server.key, .argument = 2}));
  auto down =
      std::async(std::launch::async, [&] { server.orb.core().shutdown(orb::Completion::wait); });
  CHECK(first.reply().type() == type_close_connection);
  CHECK(first.at_end());
  RawReply last = second.reply();
  if (last.type() == type_reply) {  // the request was faster than the closing
    CHECK(last.result() == 3);
    last = second.reply();
  }
  CHECK(last.type() == type_close_connection);
  CHECK(second.at_end());
  down.get();
}

TEST_CASE("more requests in progress than allowed on one connection get TRANSIENT") {
  orb::Settings settings = each_parallel();
  settings.requests_per_connection_max = 1;
  std::promise<void> leave;
  const ServerFixture server(settings, [&](orb::ServerRequest& request) {
    if (argument_of(request) == 1) leave.get_future().wait();
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1, .argument = 1}) +
              make_request({.key = server.key, .id = 2, .argument = 2}));
  const RawReply refused = client.reply();
  CHECK(refused.id() == 2);
  CHECK(refused.repository_id() == "IDL:omg.org/CORBA/TRANSIENT:1.0");
  leave.set_value();
  CHECK(client.reply().id() == 1);
}

TEST_CASE(
    "shutdown sends the replies of requests in progress and CloseConnection, and closes "
    "connections") {
  std::promise<void> entered;
  std::promise<void> leave;
  ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    if (argument_of(request) != 1) return;
    entered.set_value();
    leave.get_future().wait();
  });
  RawClient idle(server.endpoint);
  CHECK(idle.call({.key = server.key, .id = 9, .argument = 2}).id() == 9);
  RawClient busy(server.endpoint);
  busy.send(make_request({.key = server.key, .id = 1, .argument = 1}));
  entered.get_future().wait();
  auto down =
      std::async(std::launch::async, [&] { server.orb.core().shutdown(orb::Completion::wait); });
  leave.set_value();
  CHECK(busy.reply().id() == 1);
  for (RawClient* client : {&busy, &idle}) {
    CHECK(client->reply().type() == type_close_connection);
    CHECK(client->at_end());
  }
  down.get();
}

TEST_CASE("an upcall may call other servers while its server stops") {
  std::promise<void> called;
  std::promise<void> leave;
  const ServerFixture slow(ThreadStrategy::thread_per_connection, [&](orb::ServerRequest&) {
    called.set_value();
    leave.get_future().wait();
  });
  CORBA::object_reference<CORBA::Object> callee;
  std::promise<void> entered;
  std::promise<void> stopping;
  orb::Settings settings = server_settings(each_strategy());
  settings.threads = 1;  // the upcall needs a spare thread of a pool
  ServerFixture server(settings, [&](orb::ServerRequest&) {
    entered.set_value();
    stopping.get_future().wait();
    call_act(callee);
  });
  callee = server.orb.core().make_object(slow.object->_reference()->ior());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1}));
  entered.get_future().wait();
  auto down =
      std::async(std::launch::async, [&] { server.orb.core().shutdown(orb::Completion::wait); });
  await_condition([&] { return server.orb.core().stopping(); });
  std::this_thread::sleep_for(
      std::chrono::milliseconds(20));  // its connections may notice the shutdown
  stopping.set_value();
  called.get_future().wait();
  leave.set_value();
  CHECK(client.reply().status() == 0);
  CHECK(client.reply().type() == type_close_connection);
  down.get();
}

TEST_CASE("shutdown from within an upcall lets run return and the client have its reply") {
  TestOrb* orb = nullptr;
  ServerFixture server(each_strategy(), [&](orb::ServerRequest&) {
    orb->core().shutdown(orb::Completion::do_not_wait);
  });
  orb = &server.orb;
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .id = 1}).id() == 1);
  CHECK(client.reply().type() == type_close_connection);
  CHECK(client.at_end());
}

TEST_CASE("a request without arguments and results allocates nothing on the server") {
  std::vector<std::size_t> counts;
  counts.reserve(1000);
  std::mutex mutex;
  orb::Settings settings = server_settings(each_strategy());
  settings.threads = 1;  // another thread would allocate its buffers when it first serves
  const ServerFixture server(settings, [&](orb::ServerRequest&) {
    const std::lock_guard lock(mutex);
    counts.push_back(allocations().count);
  });
  RawClient client(server.endpoint);
  for (std::uint32_t id = 0; id < 200; ++id) (void)client.call({.key = server.key, .id = id});
  const std::lock_guard lock(mutex);
  REQUIRE(counts.size() == 200);
  CHECK(counts[199] - counts[100] == 0);
}

TEST_CASE("many clients at once get their own replies") {
  const ServerFixture server(each_strategy());
  std::vector<std::future<bool>> clients;
  for (std::uint32_t number = 0; number < 8; ++number)
    clients.push_back(std::async(std::launch::async, [&server, number] {
      RawClient client(server.endpoint);
      for (std::uint32_t id = 0; id < 100; ++id) {
        const std::uint32_t value = number * 1000 + id;
        if (client.call({.key = server.key, .id = id, .argument = value}).result() != value + 1)
          return false;
      }
      return true;
    }));
  for (auto& client : clients) CHECK(client.get());
}

TEST_CASE("shutdown does not wait for a peer that does not read its reply") {
  orb::Settings settings = server_settings(each_strategy());
  settings.drain_timeout = std::chrono::milliseconds(20);
  std::promise<void> entered;
  const std::vector<std::uint8_t> result(30'000'000);
  ServerFixture server(settings, [&](orb::ServerRequest& request) {
    entered.set_value();
    request.reply([&result](cdr::Encoder& encoder) { encoder << result; });
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key}));
  entered.get_future().wait();
  server.orb.core().shutdown(orb::Completion::wait);
}

TEST_CASE("a connection that was idle for the whole shutdown is cut") {
  const orb::Settings settings = server_settings(each_strategy());
  ServerFixture server(settings);
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).result() == 2);
  server.orb.core().shutdown(orb::Completion::wait);
  CHECK(client.reply().type() == type_close_connection);
}

TEST_CASE(
    "a client that does not read its replies is disconnected, and another client is accepted") {
  orb::Settings settings = server_settings(each_strategy());
  settings.send_timeout = std::chrono::milliseconds(50);
  settings.server_connections_max = 1;
  const std::vector<std::uint8_t> result(30'000'000);
  const ServerFixture server(settings, [&](orb::ServerRequest& request) {
    if (argument_of(request) != 1) return;
    request.reply([&result](cdr::Encoder& encoder) { encoder << result; });
  });
  RawClient mute(server.endpoint);
  mute.send(make_request({.key = server.key, .id = 1, .argument = 1}));
  RawClient other(server.endpoint);
  CHECK(other.call({.key = server.key, .id = 2, .argument = 2}).id() == 2);
}

TEST_CASE("CloseConnection is sent although a part of a request has been received") {
  TestOrb* orb = nullptr;
  ServerFixture server(each_strategy(), [&](orb::ServerRequest&) {
    orb->core().shutdown(orb::Completion::do_not_wait);
  });
  orb = &server.orb;
  RawClient client(server.endpoint);
  Octets part = make_request({.key = server.key, .id = 2});
  part.resize(20);
  client.send(make_request({.key = server.key, .id = 1}) + part);
  CHECK(client.reply().id() == 1);
  CHECK(client.reply().type() == type_close_connection);
  CHECK(client.at_end());
}

TEST_CASE("a server stops beside 300 upcalls that block, and ends its threads") {
  constexpr std::uint32_t count = 300;
  const std::size_t threads_before = threads_of_process();
  {
    orb::Settings settings = server_settings(ThreadStrategy::automatic);
    settings.spare_threads_max = count;
    std::latch entered(count);
    std::latch leave(1);
    ServerFixture server(settings, [&](orb::ServerRequest& request) {
      entered.count_down();
      leave.wait();
      add_one(request);
    });
    std::vector<RawClient> clients;
    for (std::uint32_t id = 0; id < count; ++id) {
      clients.emplace_back(server.endpoint);
      clients.back().send(make_request({.key = server.key, .id = id, .argument = id}));
    }
    entered.wait();
    CHECK(threads_of_process() > count);
    auto stopped =
        std::async(std::launch::async, [&] { server.orb.core().shutdown(orb::Completion::wait); });
    leave.count_down();
    for (std::uint32_t id = 0; id < count; ++id) CHECK(clients[id].reply().result() == id + 1);
    clients.clear();
    stopped.get();
  }
  while (threads_of_process() > threads_before) std::this_thread::yield();
}
