// Peers that send raw octets: listen points as other ORBs write them, and hostile listen points.
#include "orb/bidirectional/bidirectional.h"
#include "orb/bidirectional/both_directions.h"
#include "orb/client/endpoint_table.h"
#include <perigee/iop/components.h>
#include <perigee/iop/listen_points.h>

#include <chrono>
#include <future>
#include <string>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

Octets listen_points(const std::vector<iop::ListenPoint>& points) {
  return iop::encode_listen_points(points);
}

RawRequest announcing(const ServerFixture& server, Octets context, unsigned minor = 2) {
  RawRequest request{.key = server.key, .minor = minor, .argument = 1};
  request.context_id = iop::context_bi_dir_iiop;
  request.context = std::move(context);
  return request;
}

ObjectRef object_at(const ServerFixture& server, const std::string& address) {
  return server.orb.core().string_to_object("corbaloc:iiop:1.2@" + address + "/raw");
}

struct Counted {
  std::uint64_t believed;
  std::uint64_t refused;
  friend bool operator==(const Counted&, const Counted&) = default;
};

Counted counted(const ServerFixture& server) {
  const orb::OrbMetrics& metrics = server.orb.core().metrics();
  return {metrics.listen_points_believed, metrics.listen_points_refused};
}

}  // namespace

TEST_CASE("a server sends requests with odd ids over the connection of a client") {
  const ThreadStrategy strategy = each_strategy();
  const ServerFixture server(accepting(strategy));
  RawClient client(server.endpoint);
  CHECK(client.call(announcing(server, listen_points({{"127.0.0.1", 1}}))).result() == 2);
  auto result = std::async(std::launch::async,
                           [target = object_at(server, "127.0.0.1:1")] { return act(target, 7); });
  const RawReply request = client.reply();  // a request: its id is where a reply has it
  CHECK(request.type() == 0);
  CHECK(request.id() % 2 == 1);
  client.send(make_reply(request.id(), 8));
  CHECK(result.get() == 8);
}

TEST_CASE("listen points of other hosts, of other forms and too many are refused and counted") {
  const ThreadStrategy strategy = each_strategy();
  const ServerFixture server(accepting(strategy));
  RawClient client(server.endpoint);
  const auto announce = [&](const Octets& context) {
    CHECK(client.call(announcing(server, context)).result() == 2);
    return counted(server);
  };
  CHECK(announce(listen_points({{"127.0.0.2", 1}})) == Counted{0, 1});
  CHECK(announce(listen_points({{"0.0.0.0", 1}, {"localhost", 1}})) == Counted{0, 3});
  CHECK(announce(octets(1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff)) == Counted{0, 4});
  CHECK(announce({}) == Counted{0, 5});
  CHECK(announce(listen_points(std::vector<iop::ListenPoint>(17, {"127.0.0.1", 1}))) ==
        Counted{0, 6});
  std::vector<iop::ListenPoint> own;
  for (std::uint16_t port = 1; port <= 16; ++port) own.push_back({"127.0.0.1", port});
  CHECK(announce(listen_points(own)) == Counted{16, 6});
  CHECK(announce(listen_points({{"127.0.0.1", 17}})) == Counted{16, 7});
  CHECK_THROWS_AS((void)act(object_at(server, "127.0.0.1:17"), 1), CORBA::TRANSIENT);
}

TEST_CASE("a server without the option ignores listen points") {
  const ServerFixture server(ThreadStrategy::automatic);
  RawClient client(server.endpoint);
  CHECK(client.call(announcing(server, listen_points({{"127.0.0.1", 1}}))).result() == 2);
  CHECK(counted(server) == Counted{0, 0});
  CHECK_THROWS_AS((void)act(object_at(server, "127.0.0.1:1"), 1), CORBA::TRANSIENT);
}

TEST_CASE("a request of GIOP 1.1 announces no listen points") {
  const ServerFixture server(accepting(ThreadStrategy::automatic));
  RawClient client(server.endpoint);
  CHECK(client.call(announcing(server, listen_points({{"127.0.0.1", 1}}), 1)).type() == type_reply);
  CHECK(counted(server) == Counted{0, 0});
}

TEST_CASE("a second client cannot take over the listen point of the first") {
  const ThreadStrategy strategy = each_strategy();
  const ServerFixture server(accepting(strategy));
  RawClient first(server.endpoint);
  RawClient second(server.endpoint);
  CHECK(first.call(announcing(server, listen_points({{"127.0.0.1", 1}}))).result() == 2);
  CHECK(second.call(announcing(server, listen_points({{"127.0.0.1", 1}}))).result() == 2);
  auto result = std::async(std::launch::async,
                           [target = object_at(server, "127.0.0.1:1")] { return act(target, 7); });
  const RawReply request = first.reply();
  first.send(make_reply(request.id(), 9));
  CHECK(result.get() == 9);
}

TEST_CASE("a reply to no request of the server ends the connection of the client") {
  const ServerFixture server(accepting(ThreadStrategy::automatic));
  RawClient client(server.endpoint);
  client.send(make_reply(1, 1));
  CHECK(client.reply().type() == type_message_error);
}

TEST_CASE("a client's first request to a server carries the client's listen points") {
  RawServer server;
  const CalledBack client(offering(ThreadStrategy::automatic));
  auto result = std::async(std::launch::async, [&] {
    return act(client.orb.core().string_to_object(server.reference()), 5);
  });
  RawClient connection = server.accept();
  const RawReply request = connection.reply();
  CHECK(request.type() == 0);
  CHECK(request.id() % 2 == 0);
  const Octets context = listen_points({{"127.0.0.1", 1}});
  const Octets& message = request.message;
  CHECK(std::ranges::search(message, context).begin() != message.end());
  connection.send(make_reply(request.id(), 6));
  CHECK(result.get() == 6);
}

TEST_CASE("a call that waits for the connect of another call ends when its own time is over") {
  const CalledBack client(offering(ThreadStrategy::automatic));
  orb::OrbCore& core = client.orb.core();
  const auto endpoint = core.endpoints().find({"iiop", "127.0.0.1:1"}, {});
  endpoint->both_directions().is_opening = true;  // as while another call connects
  orb::ConnectBudget budget(std::chrono::milliseconds(20));
  const auto choice =
      core.bidirectional().choose(*endpoint, {}, core.server(), {.connecting = &budget});
  CHECK(choice.found == orb::Bidirectional::Found::error);
  CHECK(choice.error.kind == IoErrorKind::timed_out);
  CHECK(budget.is_spent());
}

TEST_CASE("a server reaches no object without the policy, by Request or LocateRequest") {
  RawServer server;
  const CalledBack client(offering(ThreadStrategy::automatic));
  const ObjectRef hidden = client.orb.root()->servant_to_reference(make_servant(add_one));
  auto result = std::async(std::launch::async, [&] {
    return act(client.orb.core().string_to_object(server.reference()), 5);
  });
  RawClient connection = server.accept();
  const RawReply first = connection.reply();
  const Octets open_key = client.orb.key_of(client.object);
  const Octets hidden_key = client.orb.key_of(hidden);
  const RawReply answer = connection.call({.key = open_key, .id = 1, .argument = 1});
  CHECK(answer.result() == 2);
  const RawReply refused = connection.call({.key = hidden_key, .id = 3, .argument = 1});
  CHECK(refused.repository_id() == "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0");
  connection.send(make_locate_request(hidden_key, 5, 2));
  CHECK(connection.reply().ulong(16) == 0);  // UNKNOWN_OBJECT
  connection.send(make_locate_request(open_key, 7, 2));
  CHECK(connection.reply().ulong(16) == 1);  // OBJECT_HERE
  connection.send(make_reply(first.id(), 6));
  CHECK(result.get() == 6);
}
