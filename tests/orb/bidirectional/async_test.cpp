// Asynchronous calls of clients and of servers over bidirectional connections.
#include "orb/async/observers.h"
#include "orb/bidirectional/both_directions.h"

#include <future>
#include <list>
#include <thread>

using namespace perigee;
using namespace perigee::test;

namespace {

stub::CallHandle send_act(const ObjectRef& object, std::uint32_t value, Observed& observed) {
  return stub::send(*object, act_operation, number(value), observed);
}

/// A server that calls the client back within its upcall, and a client.
struct AsyncPair {
  explicit AsyncPair(ThreadStrategy strategy)
      : server(accepting(strategy),
               [this](orb::ServerRequest& request) {
                 const std::uint32_t value = argument_of(request);
                 const std::uint32_t result = act(callback, value);
                 request.reply([result](cdr::Encoder& encoder) { encoder << result; });
               }),
        client(offering(strategy)) {
    served = client.see(server.object);
    callback = server.orb.core().make_object(client.object->_reference()->ior());
  }

  ObjectRef callback;
  ObjectRef served;
  ServerFixture server;
  CalledBack client;
};

}  // namespace

TEST_CASE("an asynchronous call opens and offers a connection") {
  AsyncPair pair(each_strategy());
  Observed observed;
  stub::CallHandle call = send_act(pair.served, 41, observed);
  call.wait();
  CHECK(observed.text() == "no failure");
  CHECK(observed.value() == 42);
  CHECK(pair.server.orb.core().metrics().listen_points_believed == 1);
}

TEST_CASE("observers are called by the client's loop, though the server's loops read the replies") {
  AsyncPair pair(each_strategy());
  bool told_on_loop = false;
  Observed observed(
      [&] { told_on_loop = pair.client.orb.core().async().client_loop().on_thread(); });
  send_act(pair.served, 41, observed).wait();
  CHECK(observed.value() == 42);
  CHECK(told_on_loop);
}

// The upcalls wait for their calls to the client. One thread can nest at most 32 such upcalls.
TEST_CASE("asynchronous calls that start together, and blocking calls, share a connection") {
  AsyncPair pair(each_strategy());
  std::list<Observed> observed(20);
  std::list<stub::CallHandle> calls;
  for (Observed& each : observed) calls.push_back(send_act(pair.served, 1, each));
  CHECK(act(pair.served, 7) == 8);
  for (stub::CallHandle& call : calls) call.wait();
  for (const Observed& each : observed) CHECK(each.text() == "no failure");
  for (const Observed& each : observed) CHECK(each.value() == 2);
  CHECK(pair.server.orb.core().metrics().listen_points_believed >= 1);
}

TEST_CASE("`drive` with the time-out 0 reads the connections that the client has offered") {
  const ServerFixture server(accepting(ThreadStrategy::thread_per_connection));
  const CalledBack client(offering(ThreadStrategy::reactive), add_one, Runs::no);
  const ObjectRef served = client.see(server.object);
  Observed observed;
  stub::CallHandle call = send_act(served, 41, observed);
  const auto has_ended = [&observed] { return observed.times() != 0; };
  while (!has_ended()) call.drive(has_ended, 0);
  CHECK(observed.value() == 42);
}

TEST_CASE("a server calls a client back with asynchronous calls") {
  AsyncPair pair(each_strategy());
  CHECK(act(pair.served, 1) == 2);
  std::list<Observed> observed(50);
  std::list<stub::CallHandle> calls;
  for (Observed& each : observed) calls.push_back(send_act(pair.callback, 1, each));
  for (stub::CallHandle& call : calls) call.wait();
  for (const Observed& each : observed) CHECK(each.value() == 2);
}

TEST_CASE("an asynchronous call to a client whose connection has ended fails") {
  const ThreadStrategy strategy = each_strategy();
  ServerFixture server(accepting(strategy));
  ObjectRef callback;
  {
    const CalledBack client(offering(strategy));
    CHECK(act(client.see(server.object), 1) == 2);
    callback = server.orb.core().make_object(client.object->_reference()->ior());
    CHECK(act(callback, 1) == 2);
  }
  Observed observed;
  stub::CallHandle call = send_act(callback, 1, observed);
  call.wait();
  CHECK(observed.failure<CORBA::TRANSIENT>().minor() == orb::minor_peer_gone);
}

TEST_CASE("an asynchronous call to a server that does not listen fails") {
  const CalledBack client(offering(each_strategy()));
  const ObjectRef nowhere = client.orb.core().string_to_object("corbaloc:iiop:1.2@127.0.0.1:2/x");
  Observed observed;
  stub::CallHandle call = send_act(nowhere, 1, observed);
  call.wait();
  CHECK(observed.failure<CORBA::TRANSIENT>().completed() == CORBA::COMPLETED_NO);
}

TEST_CASE("an asynchronous callback is cancelled if the client sends no reply") {
  const ThreadStrategy strategy = each_strategy();
  ServerFixture server(accepting(strategy));
  orb::ServerRequest* deferred = nullptr;
  std::promise<void> called;
  const CalledBack client(offering(strategy), [&](orb::ServerRequest& request) {
    deferred = request.defer();
    called.set_value();
  });
  CHECK(act(client.see(server.object), 1) == 2);
  Observed observed;
  stub::CallHandle call =
      send_act(server.orb.core().make_object(client.object->_reference()->ior()), 1, observed);
  std::thread waiting([&] { call.wait(); });
  called.get_future().wait();
  call.cancel();
  waiting.join();
  CHECK(observed.failed());
  delete deferred;
}
