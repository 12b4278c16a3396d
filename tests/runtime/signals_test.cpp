// Servers and signals: no thread of an ORB handles the application's signals, and
// serve_until_signal drains.
#include "runtime/process.h"
#include "support/temporary_folder.h"
#include <perigee/runtime/serve_until_signal.h>

#include <doctest/doctest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <string>
#include <thread>

namespace perigee::test {
namespace {

constexpr const char* strategies[] = {"auto", "thread-per-connection", "reactive", "thread-pool",
                                      "reactor-per-core"};

/// How many threads of this process do not block SIGTERM.
int threads_that_take_sigterm() {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigBlk:"))
        count += (std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1) & 1) == 0 ? 1 : 0;
  }
  return count;
}

bool blocks(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

bool has_default_action(int signal) {
  struct sigaction action{};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_DFL;
}

/// A server process: an Echo object of an ORB that no thread runs yet.
struct IdleServer {
  explicit IdleServer(std::vector<std::string> options) {
    options.insert(options.end(), {"-ORBListenEndpoints", "iiop://127.0.0.1:0"});
    orb = make_orb(std::move(options));
    const auto poa =
        IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    reference = orb->object_to_string(poa->id_to_reference(poa->activate_object(servant)));
    poa->the_POAManager()->activate();
  }
  ~IdleServer() { orb->destroy(); }
  IdleServer(const IdleServer&) = delete;
  IdleServer& operator=(const IdleServer&) = delete;

  CORBA::servant_reference<EchoServant> servant = CORBA::make_reference<EchoServant>();
  OrbRef orb;
  std::string reference;
};

}  // namespace

TEST_CASE("no thread of an ORB takes the application's signals") {
  const TemporaryFolder folder;
  for (const char* strategy : strategies) {
    CAPTURE(strategy);
    const int before = threads_that_take_sigterm();
    EchoServer server({"-ORBThreadStrategy", strategy, "-ORBMetricsEndpoint", "127.0.0.1:0",
                       "-ORBAdministration", "uiop://" + folder.file("administration")});
    const EchoClient client({"-ORBClientIdleTimeout", "1000"});
    client.echo(server.reference)->ping();
    // One more thread takes SIGTERM: the test's own thread, which calls ORB::run. The system blocks
    // its signals until it has begun.
    while (threads_that_take_sigterm() < before + 1) std::this_thread::yield();
    CHECK(threads_that_take_sigterm() == before + 1);
  }
}

TEST_CASE("a signal ends a server in order: requests in progress get their replies") {
  for (const char* strategy : strategies)
    for (const int signal : {SIGTERM, SIGINT}) {
      CAPTURE(strategy);
      CAPTURE(signal);
      IdleServer server({"-ORBThreadStrategy", strategy, "-ORBMetricsEndpoint", "127.0.0.1:0"});
      std::latch entered(1);
      std::latch released(1);
      server.servant->on_stop = [&] {
        entered.count_down();
        released.wait();
      };
      std::promise<void> ready;
      auto served = std::async(std::launch::async, [&] {
        serve_until_signal(server.orb, [&] { ready.set_value(); });
        return !blocks(SIGTERM) && !blocks(SIGINT);
      });
      ready.get_future().wait();
      const EchoClient client;
      const auto echo = client.echo(server.reference);
      auto call = std::async(std::launch::async, [&] { echo->stop(); });
      entered.wait();
      ::kill(::getpid(), signal);
      while (!has_default_action(signal)) std::this_thread::yield();  // the signal was noted
      released.count_down();
      CHECK_NOTHROW(call.get());
      CHECK(served.get());
    }
}

TEST_CASE("a signal while the reference is published ends the server before it serves") {
  for (const char* strategy : strategies) {
    CAPTURE(strategy);
    IdleServer server({"-ORBThreadStrategy", strategy});
    serve_until_signal(server.orb, [] { ::kill(::getpid(), SIGTERM); });
    CHECK_FALSE(blocks(SIGTERM));
  }
}

TEST_CASE("the first signal calls a function of the program while the ORB still serves") {
  for (const char* strategy : strategies) {
    CAPTURE(strategy);
    IdleServer server({"-ORBThreadStrategy", strategy});
    const EchoClient client;
    const auto echo = client.echo(server.reference);
    int calls = 0;
    const auto ending = [&] {
      echo->ping();
      ++calls;
    };
    serve_until_signal(server.orb, [] { ::kill(::getpid(), SIGTERM); }, ending);
    CHECK(calls == 1);
  }
}

TEST_CASE("serving until a signal also ends when the ORB is shut down") {
  for (const char* strategy : strategies) {
    CAPTURE(strategy);
    IdleServer server({"-ORBThreadStrategy", strategy});
    std::jthread other;
    serve_until_signal(server.orb,
                       [&] { other = std::jthread([orb = server.orb] { orb->shutdown(true); }); });
    CHECK_FALSE(blocks(SIGTERM));
    other.join();
    CHECK_NOTHROW(serve_until_signal(server.orb));  // returns at once
  }
}

TEST_CASE("a signal ends all servers of the process") {
  IdleServer one({});
  IdleServer two({"-ORBThreadStrategy", "reactive"});
  std::latch ready(2);
  const auto serve = [&ready](const OrbRef& orb) {
    serve_until_signal(orb, [&ready] { ready.count_down(); });
  };
  auto first = std::async(std::launch::async, [&] { serve(one.orb); });
  auto second = std::async(std::launch::async, [&] { serve(two.orb); });
  ready.wait();
  ::kill(::getpid(), SIGTERM);
  first.get();
  second.get();
}

TEST_CASE("an error before a server serves is thrown, and signals are restored") {
  struct sigaction before{};
  ::sigaction(SIGTERM, nullptr, &before);
  IdleServer server({});
  CHECK_THROWS_AS(serve_until_signal(server.orb, [] { throw std::runtime_error("no file"); }),
                  std::runtime_error);
  CHECK_FALSE(blocks(SIGTERM));
  struct sigaction after{};
  ::sigaction(SIGTERM, nullptr, &after);
  CHECK((after.sa_handler == before.sa_handler));
}

}  // namespace perigee::test
