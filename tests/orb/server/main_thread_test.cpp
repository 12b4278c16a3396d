// POAs with MAIN_THREAD_MODEL: their servants run on the thread that runs the ORB, whatever thread
// has received the request.
#include "orb/server/server_fixture.h"
#include "support/await_condition.h"
#include <perigee/orb/stub.h>
#include <perigee/orb/with_policies.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

using PortableServer::ThreadPolicyValue;

/// A server with an object of a POA with MAIN_THREAD_MODEL. The thread of the test has made the
/// ORB, so it is the main thread until another thread runs the ORB.
class MainThreadServer {
 public:
  explicit MainThreadServer(ThreadStrategy strategy)
      : MainThreadServer(server_settings(strategy)) {}
  explicit MainThreadServer(const orb::Settings& settings) : orb(settings) {
    const auto& root = orb.root();
    poa = root->create_POA("main", root->the_POAManager(),
                           {root->create_thread_policy(ThreadPolicyValue::MAIN_THREAD_MODEL)});
    object =
        poa->id_to_reference(poa->activate_object(make_servant([this](orb::ServerRequest& request) {
          threads.push_back(std::this_thread::get_id());
          add_one(request);
        })));
    key = orb.key_of(object);
    endpoint = orb.endpoint_of(object);
  }

  std::vector<std::thread::id> threads;  // of upcalls: no lock, since only the main thread writes
  TestOrb orb;
  TestOrb::PoaRef poa;
  CORBA::object_reference<CORBA::Object> object;
  Octets key;
  transport::Endpoint endpoint;
};

/// Sends a request and waits for its reply, on a thread of its own.
class Caller {
 public:
  explicit Caller(const MainThreadServer& server)
      : result_(std::async(std::launch::async, [&server] {
          RawClient client(server.endpoint);
          client.send(make_request({.key = server.key, .argument = 41}));
          return client.reply();
        })) {}
  [[nodiscard]] bool is_answered() const {
    return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  [[nodiscard]] auto reply() { return result_.get(); }

 private:
  std::future<decltype(std::declval<RawClient&>().reply())> result_;
};

/// A collocated call.
std::uint32_t act(const MainThreadServer& server) {
  static constexpr stub::Operation operation{"act", stub::Operation::Kind::twoway, {}};
  std::uint32_t result = 0;
  stub::invoke(
      *server.object, operation, [](cdr::Encoder& encoder) { encoder << std::uint32_t{41}; },
      [&result](cdr::Decoder& decoder) { decoder >> result; });
  return result;
}

}  // namespace

TEST_CASE("the thread that runs the ORB makes the upcalls of a POA with MAIN_THREAD_MODEL") {
  MainThreadServer server(each_strategy());
  server.orb.root()->the_POAManager()->activate();
  std::thread::id runner;
  std::thread running([&] {
    runner = std::this_thread::get_id();
    server.orb.core().run();
  });
  for (int call = 0; call < 3; ++call) CHECK(Caller(server).reply().result() == 42);
  server.orb.core().shutdown(orb::Completion::wait);
  running.join();
  REQUIRE(server.threads.size() == 3);
  for (const std::thread::id thread : server.threads) CHECK(thread == runner);
}

TEST_CASE("perform_work makes the upcalls of a POA with MAIN_THREAD_MODEL") {
  MainThreadServer server(each_strategy());
  server.orb.root()->the_POAManager()->activate();
  Caller first(server);
  Caller second(server);
  await_condition([&] {
    server.orb.core().perform_work();
    return first.is_answered() && second.is_answered();
  });
  CHECK(first.reply().result() == 42);
  CHECK(second.reply().result() == 42);
  REQUIRE(server.threads.size() == 2);
  for (const std::thread::id thread : server.threads) CHECK(thread == std::this_thread::get_id());
}

TEST_CASE("perform_work with a time limit returns after an upcall") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  server.orb.root()->the_POAManager()->activate();
  Caller caller(server);
  server.orb.core().perform_work(
      Deadline::after(std::chrono::minutes(2), server.orb.core().clock().now()));
  CHECK(caller.reply().result() == 42);
  CHECK(server.threads.size() == 1);
}

TEST_CASE("work_pending is true while a request waits for the main thread") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  server.orb.root()->the_POAManager()->activate();
  Caller caller(server);
  await_condition([&] { return server.orb.core().work_pending(); });
  CHECK_FALSE(caller.is_answered());
  CHECK(server.threads.empty());
  server.orb.core().perform_work();
  CHECK(caller.reply().result() == 42);
  CHECK_FALSE(server.orb.core().work_pending());
}

TEST_CASE(
    "collocated calls of other threads go to the main thread, and its own calls do not wait") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  server.orb.root()->the_POAManager()->activate();
  CHECK(act(server) == 42);
  const std::thread::id own = std::this_thread::get_id();
  REQUIRE(server.threads == std::vector{own});
  auto other = std::async(std::launch::async, [&] { return act(server); });
  await_condition([&] {
    server.orb.core().perform_work();
    return other.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  CHECK(other.get() == 42);
  CHECK(server.threads == std::vector{own, own});
}

TEST_CASE("other POAs of the same ORB keep their threads") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  std::atomic<bool> on_main{true};
  const auto& root = server.orb.root();
  const auto plain = root->servant_to_reference(make_servant([&](orb::ServerRequest& request) {
    on_main = std::this_thread::get_id() == server.threads.front();
    add_one(request);
  }));
  server.threads.push_back(std::this_thread::get_id());
  root->the_POAManager()->activate();
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.orb.key_of(plain), .argument = 41}));
  CHECK(client.reply().result() == 42);
  CHECK_FALSE(on_main);
}

TEST_CASE("a request that waits for the main thread gets TRANSIENT when the ORB is shut down") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  server.orb.root()->the_POAManager()->activate();
  Caller caller(server);
  await_condition([&] { return server.orb.core().work_pending(); });
  server.orb.core().shutdown(orb::Completion::do_not_wait);
  CHECK(caller.reply().repository_id() == "IDL:omg.org/CORBA/TRANSIENT:1.0");
  CHECK(server.threads.empty());
}

TEST_CASE("a request for a POA that becomes HOLDING does not block the main thread") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  const auto manager = server.orb.root()->the_POAManager();
  manager->activate();
  Caller caller(server);
  await_condition([&] { return server.orb.core().work_pending(); });
  manager->hold_requests(false);
  server.orb.core().perform_work();  // does not wait for the manager
  CHECK(server.threads.empty());
  manager->activate();
  await_condition([&] {
    server.orb.core().perform_work();
    return caller.is_answered();
  });
  CHECK(caller.reply().result() == 42);
}

TEST_CASE("exceptions of a servant on the main thread reach the client") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  const auto thrower = server.poa->id_to_reference(server.poa->activate_object(make_servant(
      [](orb::ServerRequest&) { throw CORBA::NO_RESOURCES(7, CORBA::COMPLETED_NO); })));
  server.key = server.orb.key_of(thrower);
  server.orb.root()->the_POAManager()->activate();
  Caller caller(server);
  await_condition([&] {
    server.orb.core().perform_work();
    return caller.is_answered();
  });
  CHECK(caller.reply().repository_id() == "IDL:omg.org/CORBA/NO_RESOURCES:1.0");
}

TEST_CASE("requests that wait for the main thread do not keep threads of the server") {
  orb::Settings settings = server_settings(ThreadStrategy::thread_pool);
  SUBCASE("thread-pool") {}
  SUBCASE("reactor-per-core") { settings.thread_strategy = ThreadStrategy::reactor_per_core; }
  settings.threads = 1;
  MainThreadServer server(settings);
  const auto& root = server.orb.root();
  const auto plain = root->servant_to_reference(make_servant(add_one));
  root->the_POAManager()->activate();
  Caller first(server);
  Caller second(server);
  await_condition([&] { return server.orb.core().work_pending(); });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.orb.key_of(plain), .argument = 6}));
  CHECK(client.reply().result() == 7);
  CHECK_FALSE(first.is_answered());
  await_condition([&] {
    server.orb.core().perform_work();
    return first.is_answered() && second.is_answered();
  });
  CHECK(first.reply().result() == 42);
  CHECK(second.reply().result() == 42);
}

TEST_CASE("oneways of one connection reach the main thread in their order") {
  MainThreadServer server(each_strategy());
  std::vector<std::uint32_t> order;
  const auto writer = server.poa->id_to_reference(
      server.poa->activate_object(make_servant([&](orb::ServerRequest& request) {
        order.push_back(argument_of(request));
        request.reply(nullptr);
      })));
  server.key = server.orb.key_of(writer);
  server.orb.root()->the_POAManager()->activate();
  RawClient client(server.endpoint);
  constexpr std::uint32_t count = 200;
  for (std::uint32_t number = 0; number < count; ++number)
    client.send(
        make_request({.key = server.key, .id = number, .response_flags = 0, .argument = number}));
  await_condition([&] {
    server.orb.core().perform_work();
    return order.size() == count;
  });
  CHECK(std::ranges::is_sorted(order));
}

TEST_CASE("a servant on the main thread may reply later, from another thread") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  std::atomic<orb::ServerRequest*> later{nullptr};
  const auto deferring = server.poa->id_to_reference(
      server.poa->activate_object(make_servant([&](orb::ServerRequest& request) {
        CHECK(argument_of(request) == 41);
        later = request.defer();
      })));
  server.key = server.orb.key_of(deferring);
  server.orb.root()->the_POAManager()->activate();
  Caller caller(server);
  await_condition([&] {
    server.orb.core().perform_work();
    return later.load() != nullptr;
  });
  std::thread([&] {
    const std::unique_ptr<orb::ServerRequest> request(later.load());
    request->reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{8}; });
  }).join();
  CHECK(caller.reply().result() == 8);
}

TEST_CASE("perform_work does the work that waits at its beginning, and returns") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  RawClient client(server.endpoint);
  std::uint32_t id = 0;
  const auto endless = server.poa->id_to_reference(
      server.poa->activate_object(make_servant([&](orb::ServerRequest& request) {
        server.threads.push_back(std::this_thread::get_id());
        client.send(make_request({.key = server.key, .id = ++id, .response_flags = 0}));
        await_condition([&] { return server.orb.core().requests_in_progress() > 1; });
        request.reply(nullptr);
      })));
  server.key = server.orb.key_of(endless);
  server.orb.root()->the_POAManager()->activate();
  client.send(make_request({.key = server.key, .id = ++id, .response_flags = 0}));
  await_condition([&] { return server.orb.core().work_pending(); });
  server.orb.core().perform_work();
  CHECK(server.threads.size() == 1);
  await_condition([&] { return server.orb.core().work_pending(); });
}

TEST_CASE("a thread that calls perform_work once does not take the role of the main thread") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  server.orb.root()->the_POAManager()->activate();
  std::atomic<std::thread::id> runner;
  std::thread running([&] {
    runner = std::this_thread::get_id();
    server.orb.core().run();
  });
  CHECK(Caller(server).reply().result() == 42);
  server.orb.core().perform_work();
  CHECK(Caller(server).reply().result() == 42);
  server.orb.core().shutdown(orb::Completion::wait);
  running.join();
  CHECK(server.threads == std::vector{runner.load(), runner.load()});
}

TEST_CASE("a thread in ORB::run becomes the main thread when the main thread leaves") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  server.orb.root()->the_POAManager()->activate();
  std::atomic<bool> is_inside{false};
  std::thread first([&] {
    is_inside = true;
    server.orb.core().run(
        Deadline::after(std::chrono::milliseconds(50), server.orb.core().clock().now()));
  });
  await_condition([&] { return is_inside.load(); });
  std::thread second([&] { server.orb.core().run(); });
  first.join();
  CHECK(Caller(server).reply().result() == 42);
  server.orb.core().shutdown(orb::Completion::wait);
  second.join();
}

TEST_CASE("a collocated call with a time limit does not wait longer for the main thread") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  server.orb.root()->the_POAManager()->activate();
  const auto limited = with_timeout(server.object, std::chrono::milliseconds(20));
  auto other = std::async(std::launch::async, [&] {
    try {
      static constexpr stub::Operation operation{"act", stub::Operation::Kind::twoway, {}};
      stub::invoke(
          *limited, operation, [](cdr::Encoder& encoder) { encoder << std::uint32_t{41}; },
          nullptr);
      return false;
    } catch (const CORBA::TIMEOUT&) {
      return true;
    }
  });
  CHECK(other.get());
  CHECK(server.threads.empty());
}

TEST_CASE("the main thread does not wait for upcalls that wait for the main thread") {
  MainThreadServer server(ThreadStrategy::thread_per_connection);
  server.orb.root()->the_POAManager()->activate();
  auto other = std::async(std::launch::async, [&] { return act(server); });
  await_condition([&] { return server.orb.core().work_pending(); });
  CHECK_THROWS_AS(server.orb.root()->the_POAManager()->hold_requests(true), CORBA::BAD_INV_ORDER);
  server.orb.root()->the_POAManager()->activate();
  await_condition([&] {
    server.orb.core().perform_work();
    return other.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  CHECK(other.get() == 42);
}
