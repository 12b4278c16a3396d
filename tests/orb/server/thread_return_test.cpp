// The number of threads of a server after upcalls that block, while its connections stay open. This
// test is a program of its own, because it takes more than ten seconds. Spare threads stay for ten
// seconds, and no setting changes this time.
#include "orb/server/server_fixture.h"
#include "support/process_threads.h"
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

constexpr std::uint32_t connections = 64;
constexpr std::uint32_t blocked_each = 2;    // upcalls that block, per connection
constexpr std::uint32_t blocks = 1'000'000;  // an argument: the upcall blocks until it is released

/// A server, and clients whose connections stay open.
class BusyServer {
 public:
  explicit BusyServer(ThreadStrategy strategy)
      : server_(strategy, [this](orb::ServerRequest& request) { serve(request); }) {}

  void connect() {
    for (std::uint32_t count = 0; count < connections; ++count)
      clients_.emplace_back(server_.endpoint);
    call_all();
  }
  /// Returns when all upcalls block.
  void block() {
    for (RawClient& client : clients_)
      for (std::uint32_t id = 0; id < blocked_each; ++id)
        client.send(make_request({.key = server_.key, .id = id, .argument = blocks}));
    entered_.wait();
  }
  void release() {
    leave_.count_down();
    for (RawClient& client : clients_)
      for (std::uint32_t id = 0; id < blocked_each; ++id)
        CHECK(client.reply().result() == blocks + 1);
  }
  /// One short call on each connection.
  void call_all() {
    for (RawClient& client : clients_)
      CHECK(client.call({.key = server_.key, .argument = 1}).result() == 2);
  }

 private:
  void serve(orb::ServerRequest& request) {
    const std::uint32_t argument = argument_of(request);
    if (argument == blocks) {
      entered_.count_down();
      leave_.wait();
    }
    request.reply([argument](cdr::Encoder& encoder) { encoder << argument + 1; });
  }

  std::latch entered_{connections * blocked_each};
  std::latch leave_{1};
  ServerFixture server_;
  std::vector<RawClient> clients_;
};

}  // namespace

// While an upcall blocks the dedicated reader of a connection, the home loop reads the connection.
// The next upcall blocks a thread of that loop, so the loop needs spare threads.
TEST_CASE("after blocking upcalls, extra threads end although clients keep calling") {
  // Tests both strategies at the same time, so that the long wait happens only once.
  BusyServer servers[] = {BusyServer(ThreadStrategy::automatic),
                          BusyServer(ThreadStrategy::thread_per_connection)};
  constexpr std::uint32_t dedicated_under_auto = 4;  // two for each of two loops
  const std::size_t planned = threads_of_process() + dedicated_under_auto + connections;
  for (BusyServer& server : servers) server.connect();
  CHECK(threads_of_process() <= planned);
  for (BusyServer& server : servers) server.block();
  CHECK(threads_of_process() > planned + connections);
  for (BusyServer& server : servers) server.release();
  // Enough calls for the loops to give the connections back to dedicated readers.
  for (int calls = 0; calls < 1'100; ++calls)
    for (BusyServer& server : servers) server.call_all();
  const Deadline end = Deadline::after(std::chrono::seconds(120), steady_clock().now());
  while (threads_of_process() > planned && !end.passed(steady_clock().now())) {
    for (BusyServer& server : servers) server.call_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(threads_of_process() <= planned);
}
