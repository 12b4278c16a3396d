// The end of a connection that carried callbacks: the calls of both sides fail, and no connection
// takes its place silently. The peers send raw octets, and end their connections at will.
#include "orb/async/observers.h"
#include "orb/bidirectional/bidirectional.h"
#include "orb/bidirectional/both_directions.h"
#include "orb/client/endpoint_table.h"
#include "support/await_condition.h"
#include <perigee/iop/components.h>
#include <perigee/iop/listen_points.h>

#include <charconv>
#include <future>
#include <optional>
#include <string>
#include <utility>

using namespace perigee;
using namespace perigee::test;

namespace {

/// The exception of a failed call.
struct Failed {
  std::string name;
  std::uint32_t minor = 0;
  CORBA::CompletionStatus completed = CORBA::COMPLETED_YES;
  friend bool operator==(const Failed&, const Failed&) = default;
};

doctest::String toString(const Failed& failed) {
  return (failed.name + ' ' + std::to_string(failed.minor) + ' ' +
          std::to_string(static_cast<int>(failed.completed)))
      .c_str();
}

const Failed peer_gone{"TRANSIENT", orb::minor_peer_gone, CORBA::COMPLETED_NO};
const Failed callbacks_lost{"TRANSIENT", orb::minor_callbacks_lost, CORBA::COMPLETED_NO};
const Failed cut{"COMM_FAILURE", 0, CORBA::COMPLETED_MAYBE};

template <typename Call>
Failed failure_of(Call&& call) {
  try {
    static_cast<void>(std::forward<Call>(call)());
  } catch (const CORBA::SystemException& exception) {
    return {exception._name(), exception.minor(), exception.completed()};
  }
  return {};
}

Failed failure_of_async(const ObjectRef& target) {
  Observed observed;
  stub::send(*target, act_operation, number(1), observed).wait();
  return failure_of([&] { observed.rethrow(); });
}

std::string address_of(const RawServer& server) {
  const std::string reference = server.reference();
  const std::size_t begin = reference.find('@') + 1;
  return reference.substr(begin, reference.rfind('/') - begin);
}

/// Listens at the address that a client announces.
struct Listener {
  /// True if no other program has connected before this call.
  [[nodiscard]] bool is_untouched() {
    RawClient own(transport::Endpoint{"iiop", address_of(server)});
    own.send(octets(7));
    return server.accept().receive_part(1) == octets(7);
  }
  [[nodiscard]] iop::ListenPoint point() const {
    const std::string address = address_of(server);
    const std::size_t colon = address.rfind(':');
    iop::ListenPoint point{address.substr(0, colon), 0};
    std::from_chars(address.data() + colon + 1, address.data() + address.size(), point.port);
    return point;
  }

  RawServer server;
};

RawRequest announcing(const ServerFixture& server, const iop::ListenPoint& point) {
  RawRequest request{.key = server.key, .argument = 1};
  request.context_id = iop::context_bi_dir_iiop;
  request.context = iop::encode_listen_points({{point}});
  return request;
}

/// A server that has called a client over the client's own connection. The client also listens.
struct CallingServer {
  explicit CallingServer(ThreadStrategy strategy) : server(accepting(strategy)) {
    client.emplace(server.endpoint);
    CHECK(client->call(announcing(server, listener.point())).result() == 2);
    callback = server.orb.core().string_to_object("corbaloc:iiop:1.2@" +
                                                  address_of(listener.server) + "/x");
    auto result = std::async(std::launch::async, [this] { return act(callback, 7); });
    const RawReply request = client->reply();
    client->send(make_reply(request.id(), 8));
    CHECK(result.get() == 8);
  }
  /// Ends the client, and waits until the server knows it.
  void end_client() {
    client.reset();
    const transport::Endpoint point{"iiop", address_of(listener.server)};
    orb::Bidirectional& bidirectional = server.orb.core().bidirectional();
    await_condition([&] { return !bidirectional.find(point); });
  }

  Listener listener;
  ServerFixture server;
  std::optional<RawClient> client;
  ObjectRef callback;
};

/// A client whose object a server has called over the connection that the client offers.
/// `connection` is the server's end of it.
struct CalledClient {
  enum class Callbacks : bool { none, one };

  explicit CalledClient(ThreadStrategy strategy, Callbacks callbacks = Callbacks::one)
      : client(offering(strategy)),
        served(client.orb.core().string_to_object(listener.server.reference())) {
    auto result = std::async(std::launch::async, [this] { return act(served, 1); });
    connection.emplace(listener.server.accept());
    const RawReply request = connection->reply();
    const Octets key = client.orb.key_of(client.object);
    if (callbacks == Callbacks::one)
      CHECK(connection->call({.key = key, .id = 1, .argument = 1}).result() == 2);
    connection->send(make_reply(request.id(), 6));
    CHECK(result.get() == 6);
  }
  /// Ends the connection, and waits until the client knows it.
  void end_connection() {
    connection.reset();
    const auto profiles = served->_reference()->profiles(nullptr);
    orb::BothDirections& both = profiles->current()->targets.front().endpoint->both_directions();
    await_condition([&] {
      const std::lock_guard lock(both.mutex);
      return both.offered->ending();
    });
  }
  /// Calls from the client. True if the call opens a connection, announces the listen point of the
  /// client, and gets its result.
  [[nodiscard]] bool calls_over_new_connection() {
    auto result = std::async(std::launch::async, [this] { return act(served, 1); });
    RawClient next = listener.server.accept();
    const RawReply request = next.reply();
    const Octets points = iop::encode_listen_points({{{"127.0.0.1", 1}}});
    const bool announces =
        std::ranges::search(request.message, points).begin() != request.message.end();
    next.send(make_reply(request.id(), 9));
    return result.get() == 9 && announces;
  }

  Listener listener;
  CalledBack client;
  ObjectRef served;
  std::optional<RawClient> connection;
};

Octets close_connection() {
  return octets('G', 'I', 'O', 'P', 1, 2, 1, type_close_connection, 0, 0, 0, 0);
}

}  // namespace

TEST_CASE("a callback after the end of the client's connection fails, and connects to no address") {
  CallingServer calling(each_strategy());
  calling.end_client();
  CHECK(failure_of([&] { return act(calling.callback, 1); }) == peer_gone);
  CHECK(failure_of_async(calling.callback) == peer_gone);
  CHECK(calling.listener.is_untouched());
}

TEST_CASE("a callback that was sent before the end of the client's connection may have completed") {
  CallingServer calling(each_strategy());
  auto result = std::async(std::launch::async,
                           [&] { return failure_of([&] { return act(calling.callback, 1); }); });
  CHECK(calling.client->reply().type() == 0);
  calling.client.reset();
  CHECK(result.get() == cut);
  CHECK(calling.listener.is_untouched());
}

TEST_CASE("a callback that the client refuses by CloseConnection has not completed") {
  CallingServer calling(each_strategy());
  auto result = std::async(std::launch::async,
                           [&] { return failure_of([&] { return act(calling.callback, 1); }); });
  CHECK(calling.client->reply().type() == 0);
  calling.client->send(close_connection());
  CHECK(result.get() == peer_gone);
  CHECK(calling.listener.is_untouched());
}

TEST_CASE("a client that connects again is called over its new connection") {
  CallingServer calling(each_strategy());
  calling.end_client();
  RawClient again(calling.server.endpoint);
  CHECK(again.call(announcing(calling.server, calling.listener.point())).result() == 2);
  auto result = std::async(std::launch::async, [&] { return act(calling.callback, 7); });
  again.send(make_reply(again.reply().id(), 9));
  CHECK(result.get() == 9);
}

TEST_CASE("one call of a client reports that its callbacks are lost, and the next call connects") {
  CalledClient called(each_strategy());
  bool async = false;
  SUBCASE("a blocking call") {}
  SUBCASE("an asynchronous call") { async = true; }
  called.end_connection();
  CHECK((async ? failure_of_async(called.served)
               : failure_of([&] { return act(called.served, 1); })) == callbacks_lost);
  CHECK(called.calls_over_new_connection());
}

TEST_CASE(
    "a call in progress when callbacks are lost may have completed, and the next call connects") {
  CalledClient called(each_strategy());
  bool async = false;
  SUBCASE("a blocking call") {}
  SUBCASE("an asynchronous call") { async = true; }
  auto result = std::async(std::launch::async, [&] {
    return async ? failure_of_async(called.served)
                 : failure_of([&] { return act(called.served, 1); });
  });
  CHECK(called.connection->reply().type() == 0);
  called.connection.reset();
  CHECK(result.get() == cut);
  CHECK(called.calls_over_new_connection());
}

TEST_CASE(
    "a call that the server refuses by CloseConnection is not repeated if callbacks are lost") {
  CalledClient called(each_strategy());
  bool async = false;
  SUBCASE("a blocking call") {}
  SUBCASE("an asynchronous call") { async = true; }
  auto result = std::async(std::launch::async, [&] {
    return async ? failure_of_async(called.served)
                 : failure_of([&] { return act(called.served, 1); });
  });
  CHECK(called.connection->reply().type() == 0);
  called.connection->send(close_connection());
  CHECK(result.get() == callbacks_lost);
  CHECK(called.calls_over_new_connection());
}

TEST_CASE("a client that was not called back connects again without a failed call") {
  CalledClient called(each_strategy(), CalledClient::Callbacks::none);
  called.end_connection();
  CHECK(called.calls_over_new_connection());
}

TEST_CASE("a client that announces the address of another host gets no calls for that host") {
  const ThreadStrategy strategy = each_strategy();
  orb::Settings settings = server_settings(strategy);
  settings.listen_endpoints = {{"iiop", "127.0.0.2:0"}};
  const ServerFixture victim(settings);
  const ServerFixture server(accepting(strategy));
  RawClient liar(server.endpoint);
  const std::string& address = victim.endpoint.address;
  std::uint16_t port = 0;
  std::from_chars(address.data() + address.rfind(':') + 1, address.data() + address.size(), port);
  CHECK(liar.call(announcing(server, {"127.0.0.2", port})).result() == 2);
  CHECK(act(server.orb.core().make_object(victim.object->_reference()->ior()), 5) == 6);
  CHECK(liar.call(announcing(server, {"127.0.0.2", port})).type() == type_reply);
}
