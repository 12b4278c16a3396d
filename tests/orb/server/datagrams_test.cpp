// Clients that send datagrams: which requests are served, which threads read, and how a connection
// ends.
#include "orb/context/orb_metrics.h"
#include "orb/server/deferred_replies.h"
#include "orb/server/server_fixture.h"
#include "support/datagram_transport.h"
#include "support/log_lines.h"
#include <perigee/poa/stop_token.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* place = "place";

/// A server that receives datagrams.
class DatagramServer {
 public:
  DatagramServer(orb::Settings settings, const DatagramServerEnd& end, ActingServant::Action action)
      : end_(end), server_(parts(std::move(settings)), std::move(action)) {}

  [[nodiscard]] const Octets& key() const noexcept { return server_.key; }
  [[nodiscard]] orb::OrbCore& core() const noexcept { return server_.orb.core(); }
  [[nodiscard]] RawClient connect() { return RawClient(hub_->connect(place)); }
  [[nodiscard]] engine::TrafficTotals traffic() const {
    return core().metrics().server_traffic.totals();
  }

 private:
  [[nodiscard]] TestParts parts(orb::Settings settings) const {
    settings.listen_endpoints = {{"dgram", place}};
    return {.settings = std::move(settings), .protocol = make_datagram_protocol(hub_)};
  }

  DatagramFaults faults_;
  const DatagramServerEnd end_;
  const std::shared_ptr<MemoryHub> hub_ =
      std::make_shared<MemoryHub>([this] { return make_datagram_ends(faults_, end_); });
  ServerFixture server_;
};

/// The next datagram, as a message.
RawReply reply_to(RawClient& client) { return RawReply(client.receive_part(1000)); }

}  // namespace

TEST_CASE("an endpoint that sends no replies serves oneways, and drops and counts calls") {
  LogLines lines(log::Level::warning);
  std::atomic<std::uint32_t> upcalls{0};
  DatagramServer server(server_settings(each_strategy()), {.flow = messaging::Flow::receive_only},
                        [&upcalls](orb::ServerRequest& request) {
                          CHECK(argument_of(request) == 2);
                          request.reply(nullptr);
                          ++upcalls;
                        });
  RawClient client = server.connect();
  client.send(make_request({.key = server.key(), .id = 0, .argument = 1}));
  client.send(make_request({.key = server.key(), .id = 2, .response_flags = 1, .argument = 1}));
  client.send(make_locate_request(server.key(), 4, 2));
  client.send(make_request({.key = server.key(), .id = 6, .response_flags = 0, .argument = 2}));
  while (upcalls != 1 || server.traffic().datagrams_dropped != 3) std::this_thread::yield();
  CHECK(server.traffic().messages_sent == 0);
  CHECK(lines.have("dgram://peer asks for a reply, but this endpoint sends none"));
}

TEST_CASE("a server logs only once that it drops calls, however many it drops") {
  LogLines lines(log::Level::warning);
  orb::Settings settings = server_settings(ThreadStrategy::reactive);
  DatagramServer server(settings, {.flow = messaging::Flow::receive_only}, add_one);
  RawClient client = server.connect();
  for (std::uint32_t id = 0; id < 100; ++id)
    client.send(make_request({.key = server.key(), .id = id, .argument = 1}));
  while (server.traffic().datagrams_dropped != 100) std::this_thread::yield();
  const std::string text = lines.text();
  CHECK(text.find("asks for a reply") == text.rfind("asks for a reply"));
}

TEST_CASE("the end of a datagram connection does not cancel its deferred requests") {
  DeferredReplies deferred;
  DatagramServer server(server_settings(each_strategy()), {}, deferred.servant());
  RawClient client = server.connect();
  client.send(make_request({.key = server.key(), .id = 2, .argument = 1}));
  skeleton::Answer answer = deferred.take(1);
  client.end_sending();
  RawClient other = server.connect();
  other.send(make_request({.key = server.key(), .id = 4, .argument = 2}));
  send_result(deferred.take(2), 20);
  CHECK(reply_to(other).result() == 20);
  CHECK_FALSE(stop_token_of(answer).stop_requested());
  send_result(std::move(answer), 10);
  CHECK(reply_to(client).result() == 10);
  while (server.traffic().connections_open != 1) std::this_thread::yield();
}

TEST_CASE("virtual transports do not count as server connections, and get no dedicated reader") {
  orb::Settings settings = server_settings(ThreadStrategy::thread_per_connection);
  settings.server_connections_max = 1;
  std::mutex mutex;
  std::vector<std::thread::id> threads;
  DatagramServer server(settings, {.is_virtual = true}, [&](orb::ServerRequest& request) {
    {
      const std::lock_guard lock(mutex);
      threads.push_back(std::this_thread::get_id());
    }
    add_one(request);
  });
  std::vector<RawClient> clients;
  for (std::uint32_t id = 0; id < 20; ++id) {
    clients.push_back(server.connect());
    clients.back().send(make_request({.key = server.key(), .id = id, .argument = id}));
    CHECK(reply_to(clients.back()).result() == id + 1);
  }
  CHECK(server.traffic().connections_open == 20);
  const std::set<std::thread::id> different(threads.begin(), threads.end());
  CHECK(different.size() <= settings.threads);
}

TEST_CASE("datagram connections with own handles count as server connections, up to the limit") {
  orb::Settings settings = server_settings(each_strategy());
  settings.server_connections_max = 1;
  DatagramServer server(settings, {}, add_one);
  RawClient first = server.connect();
  first.send(make_request({.key = server.key(), .id = 2, .argument = 1}));
  CHECK(reply_to(first).result() == 2);
  RawClient second = server.connect();
  CHECK(second.at_end());
  first.send(make_request({.key = server.key(), .id = 4, .argument = 2}));
  CHECK(reply_to(first).result() == 3);
}

TEST_CASE("a draining server waits for the deferred replies of virtual transports") {
  DeferredReplies deferred;
  DatagramServer server(server_settings(each_strategy()), {.is_virtual = true}, deferred.servant());
  RawClient client = server.connect();
  client.send(make_request({.key = server.key(), .id = 2, .argument = 1}));
  skeleton::Answer answer = deferred.take(1);
  auto stopped =
      std::async(std::launch::async, [&] { server.core().shutdown(orb::Completion::wait); });
  CHECK(stopped.wait_for(20ms) == std::future_status::timeout);
  send_result(std::move(answer), 10);
  CHECK(reply_to(client).result() == 10);
  stopped.get();
}

TEST_CASE("a request that a client repeats over a later connection is not executed again") {
  std::mutex mutex;
  std::vector<std::uint32_t> arguments;
  DatagramServer server(server_settings(each_strategy()), {.is_virtual = true},
                        [&](orb::ServerRequest& request) {
                          const std::lock_guard lock(mutex);
                          arguments.push_back(argument_of(request));
                          request.reply(nullptr);
                        });
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return arguments.size();
  };
  const auto send = [&](RawClient& client, std::uint32_t id, std::int32_t argument) {
    client.send(
        make_request({.key = server.key(), .id = id, .response_flags = 0, .argument = argument}));
  };
  RawClient former = server.connect();
  send(former, 2, 10);
  while (count() != 1) std::this_thread::yield();
  former.end_sending();
  while (server.traffic().connections_open != 0) std::this_thread::yield();
  RawClient present = server.connect();
  send(present, 2, 10);
  send(present, 4, 20);
  while (count() != 2) std::this_thread::yield();
  CHECK((arguments == std::vector<std::uint32_t>{10, 20}));
}
