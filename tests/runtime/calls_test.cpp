// Calls between two ORBs over TCP, under each thread strategy and GIOP version.
#include "runtime/process.h"
#include "support/allocations.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace perigee::test {

namespace {

using Options = std::vector<std::string>;

const Options thread_per_connection = {"-ORBThreadStrategy", "thread-per-connection"};
const Options reactive = {"-ORBThreadStrategy", "reactive"};

const Options& strategy_of(bool is_reactive) {
  return is_reactive ? reactive : thread_per_connection;
}

}  // namespace

TEST_CASE("calls, results, exceptions and oneways cross between ORBs under each strategy") {
  for (const bool is_reactive : {false, true}) {
    EchoServer server(strategy_of(is_reactive));
    const EchoClient client;
    const auto echo = client.echo(server.reference);
    echo->ping();
    CHECK(echo->twice(21) == 42);
    CHECK_FALSE(echo->_non_existent());
    CHECK(echo->_is_a("IDL:Echo:1.0"));
    CHECK_THROWS_AS(echo->fail(), Failure);
    for (int call = 0; call < 3; ++call) echo->count_up();
    for (int seen = server.servant->counted; seen < 3; seen = server.servant->counted)
      server.servant->counted.wait(seen);
    CHECK(server.servant->counted == 3);
  }
}

TEST_CASE("ten million octets travel in both directions in every GIOP version") {
  OctetVector data(10'000'000);
  for (std::size_t index = 0; index < data.size(); ++index)
    data[index] = static_cast<std::uint8_t>(index * 7);
  for (const bool is_reactive : {false, true}) {
    for (const char* version : {"1.0", "1.1", "1.2"}) {
      Options options = strategy_of(is_reactive);
      options.insert(options.end(), {"-ORBGiopVersion", version});
      EchoServer server(options);
      const EchoClient client;
      CHECK(client.echo(server.reference)->same(data) == data);
    }
  }
}

TEST_CASE("a server calls its client back during a call") {
  for (const bool is_reactive : {false, true}) {
    EchoServer server(strategy_of(is_reactive));
    EchoServer client(thread_per_connection);
    const auto echo =
        stub::interface_traits<Echo>::narrow(client.orb->string_to_object(server.reference));
    const auto mine = stub::interface_traits<Echo>::unchecked_narrow(client.object);
    CHECK(echo->call_back(mine, 4) == 8);
  }
}

TEST_CASE("reactive servers that wait for each other also serve each other, at any depth") {
  EchoServer server(reactive);
  EchoServer other(reactive);
  const EchoClient client;
  const auto echo = client.echo(server.reference);
  // server → other → server → …: each level waits for the next level on the same two threads.
  CHECK(echo->bounce(client.echo(server.reference), client.echo(other.reference), 12) == 12);
}

TEST_CASE("a reference knows the ORB that made it, and _get_component of a plain object is nil") {
  EchoServer server;
  const EchoClient client;
  const auto echo = client.echo(server.reference);
  CHECK(echo->_get_orb() == client.orb);
  CHECK(server.object->_get_orb() == server.orb);
  CHECK_FALSE(echo->_get_component());  // the server does not know the operation
  const auto local = server.orb->resolve_initial_references("RootPOA");
  CHECK_FALSE(local->_get_component());
  CHECK_THROWS_AS((void)local->_get_orb(), CORBA::NO_IMPLEMENT);
}

TEST_CASE("an object of the same ORB is called without the network") {
  EchoServer server;
  const auto echo = stub::interface_traits<Echo>::narrow(server.object);
  CHECK(echo->twice(2) == 4);
  CHECK_THROWS_AS(echo->fail(), Failure);
}

TEST_CASE("a servant forwards a client to the object of another server") {
  EchoServer first;
  EchoServer second;
  const EchoClient client;
  const auto echo = client.echo(first.reference);
  first.servant->forward_target =
      stub::interface_traits<Echo>::unchecked_narrow(first.orb->string_to_object(second.reference));
  echo->forward_me();
  echo->count_up();
  while (second.servant->counted == 0) second.servant->counted.wait(0);
  CHECK(first.servant->counted == 0);
}

TEST_CASE("a servant may shut its ORB down, and its caller still gets the reply") {
  for (const bool is_reactive : {false, true}) {
    EchoServer server(strategy_of(is_reactive));
    const EchoClient client;
    const auto echo = client.echo(server.reference);
    server.servant->on_stop = [&] { server.orb->shutdown(false); };
    echo->stop();
    server.stop();
    CHECK_THROWS_AS(echo->ping(), CORBA::TRANSIENT);
  }
}

TEST_CASE("a call after the orderly end of the server raises TRANSIENT") {
  const EchoClient client;
  Echo::Ref echo;
  {
    EchoServer server;
    echo = client.echo(server.reference);
    echo->ping();
  }
  // The server has sent CloseConnection: no request was lost, and the client may call again.
  CHECK_THROWS_AS(echo->ping(), CORBA::TRANSIENT);
}

TEST_CASE("many threads call one object at once") {
  constexpr int threads_count = 12;
  constexpr int calls = 300;
  for (const bool is_reactive : {false, true}) {
    EchoServer server(strategy_of(is_reactive));
    const EchoClient client;
    const auto echo = client.echo(server.reference);
    std::atomic<int> right{0};
    {
      std::vector<std::jthread> threads;
      for (int thread = 0; thread < threads_count; ++thread)
        threads.emplace_back([&, thread] {
          for (int call = 0; call < calls; ++call)
            right += echo->twice(thread * calls + call) == 2 * (thread * calls + call) ? 1 : 0;
        });
    }
    CHECK(right == threads_count * calls);
  }
}

TEST_CASE("void and fixed-size calls allocate nothing at the client in the steady state") {
  EchoServer server;
  const EchoClient client;
  const auto echo = client.echo(server.reference);
  for (int call = 0; call < 10; ++call) (void)echo->twice(call);
  echo->ping();
  CHECK(allocations_of([&] {
          for (int call = 0; call < 100; ++call) echo->ping();
          for (int call = 0; call < 100; ++call) (void)echo->twice(call);
        }).count == 0);
}

TEST_CASE("-ORBPcap writes a pcap file") {
  const std::string name = "perigee_runtime_test_" + std::to_string(::getpid()) + ".pcap";
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  {
    EchoServer server({"-ORBPcap", path});
    const EchoClient client;
    client.echo(server.reference)->ping();
  }
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  CHECK(file.tellg() > 100);
  std::filesystem::remove(path);
}

}  // namespace perigee::test
