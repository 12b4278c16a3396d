// The client's policies over TCP: RelativeRoundtripTimeoutPolicy with mute peers, peers that do not
// read, late replies and calls out of upcalls; SyncScopePolicy with servers that honour it.
#include "orb/context/orb_metrics.h"
#include "orb/policies.h"
#include "orb/server/server_fixture.h"
#include <perigee/cdr/operators.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/sock.h>
#include <perigee/orb/stub.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include <functional>
#include <string>

using namespace perigee;
using namespace perigee::test;

namespace {

using std::chrono::milliseconds;
using stub::Operation;

constexpr Operation act_operation{"act", Operation::Kind::twoway, {}};
constexpr Operation act_oneway{"act", Operation::Kind::oneway, {}};

std::uint32_t act(const ObjectRef& target, std::uint32_t argument) {
  std::uint32_t result = 0;
  stub::invoke(
      *target, act_operation, [argument](cdr::Encoder& encoder) { encoder << argument; },
      [&result](cdr::Decoder& decoder) { decoder >> result; });
  return result;
}

void send_act(const ObjectRef& target) {
  stub::invoke(
      *target, act_oneway, [](cdr::Encoder& encoder) { encoder << std::uint32_t{0}; }, nullptr);
}

/// Listens, and lets connections wait in the queue for ever.
class MutePeer {
 public:
  MutePeer() : acceptor_(*ipc::sock::Acceptor::open(ipc::InetAddr::loopback(0))) {}
  [[nodiscard]] ObjectRef object(orb::OrbCore& core) const {
    return core.string_to_object("corbaloc::" + to_string(*acceptor_.local_address()) + "/mute");
  }

 private:
  ipc::sock::Acceptor acceptor_;
};

/// Listens with a full queue of connections, so that no client can connect.
class FullQueue {
 public:
  FullQueue() {
    REQUIRE(::bind(listener_.get(), address(), sizeof(address_)) == 0);
    socklen_t size = sizeof(address_);
    REQUIRE(::getsockname(listener_.get(), address(), &size) == 0);
    REQUIRE(::listen(listener_.get(), 0) == 0);
    for (const ipc::Handle& waiting : waiting_)
      static_cast<void>(::connect(waiting.get(), address(), sizeof(address_)));
  }
  [[nodiscard]] std::string reference() const {
    return "corbaloc::127.0.0.1:" + std::to_string(ntohs(address_.sin_port)) + "/busy";
  }

 private:
  static ipc::Handle make_socket(int flags) {
    return ipc::Handle(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  }
  sockaddr* address() { return reinterpret_cast<sockaddr*>(&address_); }

  sockaddr_in address_{AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {}};
  ipc::Handle listener_ = make_socket(0);
  const ipc::Handle waiting_[2]{make_socket(SOCK_NONBLOCK), make_socket(SOCK_NONBLOCK)};
};

orb::Settings each_loop() {
  ThreadStrategy strategy = ThreadStrategy::reactive;
  SUBCASE("reactive") {}
  SUBCASE("reactor-per-core") { strategy = ThreadStrategy::reactor_per_core; }
  return server_settings(strategy);
}

CORBA::CompletionStatus timed_out(const std::function<void()>& call) {
  try {
    call();
  } catch (const CORBA::TIMEOUT& exception) {
    return exception.completed();
  }
  FAIL("no TIMEOUT");
  return CORBA::COMPLETED_YES;
}

ObjectRef with_scope(const TestOrb& client, const ServerFixture& server,
                     Messaging::SyncScope scope) {
  const auto object = client.core().make_object(server.object->_reference()->ior());
  return object->_set_policy_overrides({make_policy(client.core(), SYNC_SCOPE_POLICY_TYPE, scope)},
                                       SET_OVERRIDE);
}

}  // namespace

TEST_CASE("a call to a server that never replies raises TIMEOUT, COMPLETED_MAYBE") {
  const MutePeer peer;
  const TestOrb client;
  const auto object = limited(peer.object(client.core()), client.core(), milliseconds(30));
  CHECK(timed_out([&] { (void)act(object, 1); }) == CORBA::COMPLETED_MAYBE);
  CHECK(timed_out([&] { (void)act(object, 1); }) == CORBA::COMPLETED_MAYBE);
}

TEST_CASE("a large request to a server that does not read raises TIMEOUT, COMPLETED_NO") {
  const MutePeer peer;
  const TestOrb client;
  const auto object = limited(peer.object(client.core()), client.core(), milliseconds(50));
  const std::vector<std::uint8_t> data(40'000'000);
  const auto call = [&] {
    stub::invoke(*object, act_operation, [&](cdr::Encoder& encoder) { encoder << data; }, nullptr);
  };
  CHECK(timed_out(call) == CORBA::COMPLETED_NO);
}

TEST_CASE("a late reply is not taken for the reply of the next call") {
  std::promise<void> leave;
  const ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    std::uint32_t value = 0;
    request.arguments() >> value;
    if (value == 0) leave.get_future().wait();
    request.reply([value](cdr::Encoder& encoder) { encoder << value; });
  });
  const TestOrb client;
  const auto object = client.core().make_object(server.object->_reference()->ior());
  const auto with_limit = limited(object, client.core(), milliseconds(30));
  CHECK(timed_out([&] { (void)act(with_limit, 0); }) == CORBA::COMPLETED_MAYBE);
  leave.set_value();
  for (std::uint32_t value = 1; value < 20; ++value) CHECK(act(object, value) == value);
  CHECK(act(limited(object, client.core(), std::chrono::minutes(5)), 20) == 20);
}

TEST_CASE("a connection is not used again after three calls have timed out without any reply") {
  std::promise<void> leave;
  const auto left = leave.get_future().share();
  const ServerFixture server(ThreadStrategy::thread_per_connection,
                             [&](orb::ServerRequest& request) {
                               std::uint32_t value = 0;
                               request.arguments() >> value;
                               if (value == 0) left.wait();
                               request.reply([value](cdr::Encoder& encoder) { encoder << value; });
                             });
  const TestOrb client;
  const auto opened = [&] {
    return client.core().metrics().client_traffic.totals().connections_opened;
  };
  const auto object = client.core().make_object(server.object->_reference()->ior());
  const auto run_out_of_time = [&](milliseconds limit) {
    const auto with_limit = limited(object, client.core(), limit);
    return timed_out([&] { (void)act(with_limit, 0); });
  };
  for (int call = 0; call < 2; ++call)  // together they count as one time-out at most
    CHECK(run_out_of_time(milliseconds(1)) != CORBA::COMPLETED_YES);
  CHECK(run_out_of_time(milliseconds(400)) == CORBA::COMPLETED_MAYBE);
  CHECK(act(object, 1) == 1);  // a reply arrives
  for (int call = 0; call < 3; ++call) {
    CHECK(opened() == 1);
    CHECK(run_out_of_time(milliseconds(350)) == CORBA::COMPLETED_MAYBE);
  }
  CHECK(act(object, 2) == 2);
  CHECK(opened() == 2);
  leave.set_value();
}

TEST_CASE("a call out of an upcall keeps its time limit, and other requests are served meanwhile") {
  const MutePeer peer;
  std::function<std::uint32_t()> call_peer;
  const ServerFixture middle(each_strategy(), [&](orb::ServerRequest& request) {
    std::uint32_t value = 0;
    request.arguments() >> value;
    const std::uint32_t result = value == 0 ? 1 : call_peer();
    request.reply([result](cdr::Encoder& encoder) { encoder << result; });
  });
  call_peer = [&, object = limited(peer.object(middle.orb.core()), middle.orb.core(),
                                   milliseconds(50))]() -> std::uint32_t {
    return timed_out([&] { (void)act(object, 1); }) == CORBA::COMPLETED_MAYBE ? 7 : 0;
  };
  const TestOrb client;
  const auto object = client.core().make_object(middle.object->_reference()->ior());
  auto waiting = std::async(std::launch::async, [&] { return act(object, 1); });
  CHECK(act(object, 0) == 1);
  CHECK(waiting.get() == 7);
  CHECK(act(object, 0) == 1);
}

TEST_CASE("a call out of an upcall gives up a silent peer after the time-out of the first reply") {
  const MutePeer peer;
  ObjectRef mute;
  orb::Settings settings = server_settings(each_strategy());
  settings.first_reply_timeout = milliseconds(50);
  const ServerFixture middle(settings, [&mute](orb::ServerRequest& request) {
    const auto completed = timed_out([&] { (void)act(mute, 1); });
    request.reply(
        [completed](cdr::Encoder& encoder) { encoder << static_cast<std::uint32_t>(completed); });
  });
  mute = peer.object(middle.orb.core());
  const TestOrb client;
  const auto object = client.core().make_object(middle.object->_reference()->ior());
  constexpr auto maybe = static_cast<std::uint32_t>(CORBA::COMPLETED_MAYBE);
  for (int call = 0; call < 2; ++call) CHECK(act(object, 0) == maybe);
}

TEST_CASE("a call out of an upcall on a loop waits a limited time for a peer that does not read") {
  const MutePeer peer;
  ObjectRef mute;
  orb::Settings settings = each_loop();
  settings.send_timeout = milliseconds(50);
  const std::vector<std::uint8_t> data(40'000'000);
  const ServerFixture middle(settings, [&](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    if (argument == 0) return;
    stub::invoke(*mute, act_operation, [&](cdr::Encoder& encoder) { encoder << data; }, nullptr);
  });
  mute = peer.object(middle.orb.core());
  RawClient client(middle.endpoint);
  const RawReply failed = client.call({.key = middle.key, .argument = 1});
  CHECK(failed.repository_id() == "IDL:omg.org/CORBA/COMM_FAILURE:1.0");
  CHECK(client.call({.key = middle.key, .argument = 0}).status() == 0);
}

TEST_CASE(
    "a call out of an upcall on a loop waits a limited time for a peer that does not accept") {
  const FullQueue peer;
  ObjectRef busy;
  orb::Settings settings = each_loop();
  settings.connect_timeout = milliseconds(50);
  const ServerFixture middle(settings, [&](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    if (argument != 0) (void)act(busy, 1);
  });
  busy = middle.orb.core().string_to_object(peer.reference());
  RawClient client(middle.endpoint);
  const RawReply failed = client.call({.key = middle.key, .argument = 1});
  CHECK(failed.repository_id() == "IDL:omg.org/CORBA/TRANSIENT:1.0");
  CHECK(client.call({.key = middle.key, .argument = 0}).status() == 0);
}

TEST_CASE(
    "a oneway with scope target returns after its execution, and raises the servant's exception") {
  bool done = false;
  bool throws = false;
  const ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    if (throws) throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO);
    done = true;
    request.reply(nullptr);
  });
  const TestOrb client;
  const auto object = with_scope(client, server, Messaging::SYNC_WITH_TARGET);
  send_act(object);
  CHECK(done);
  throws = true;
  CHECK_THROWS_AS(send_act(object), CORBA::NO_RESOURCES);
}

TEST_CASE("a oneway with scope server returns before the servant has executed it") {
  std::promise<void> returned;
  std::promise<void> done;
  const ServerFixture server(each_strategy(), [&](orb::ServerRequest&) {
    returned.get_future().wait();
    done.set_value();
    throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO);  // no client receives this exception
  });
  const TestOrb client;
  send_act(with_scope(client, server, Messaging::SYNC_WITH_SERVER));
  returned.set_value();
  done.get_future().wait();
  const auto object = with_scope(client, server, Messaging::SYNC_WITH_SERVER);
  CHECK_FALSE(object->_non_existent());
}

TEST_CASE("a collocated call ignores its time limit if the servant replies in the upcall") {
  const ServerFixture server(each_strategy(), [](orb::ServerRequest& request) {
    const Deadline over = Deadline::after(milliseconds(3), steady_clock().now());
    while (!over.passed(steady_clock().now())) std::this_thread::yield();
    request.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{1}; });
  });
  CHECK(act(limited(server.object, server.orb.core(), milliseconds(1)), 0) == 1);
}
