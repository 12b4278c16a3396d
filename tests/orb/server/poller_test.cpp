// Servers whose loops use io_uring, and servers whose loops accept by themselves.
#include "orb/server/server_fixture.h"
#include "support/log_lines.h"
#include "support/refuse_io_uring.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

orb::Settings uring_settings(ThreadStrategy strategy) {
  orb::Settings settings = server_settings(strategy);
  settings.poller = engine::PollerKind::uring;
  return settings;
}

void check_calls(const ServerFixture& server, int client_count) {
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int index = 0; index < client_count; ++index)
    clients.push_back(std::make_unique<RawClient>(server.endpoint));
  for (std::uint32_t round = 1; round <= 5; ++round) {
    for (const auto& client : clients)
      client->send(make_request({.key = server.key, .id = round, .argument = round}));
    for (const auto& client : clients) CHECK(client->reply().result() == round + 1);
  }
}

/// Receives the fragments of one reply. False if the server closes before the end.
bool receive_fragments(RawClient& client, std::size_t size) {
  for (std::size_t received = 0; received <= size;) {
    const Octets message = client.receive();
    if (message.empty()) return false;
    received += message.size();
  }
  return true;
}

/// Notes the threads that serve.
class NotedThreads {
 public:
  void operator()(orb::ServerRequest& request) {
    {
      const std::lock_guard lock(mutex_);
      threads_.insert(std::this_thread::get_id());
    }
    add_one(request);
  }
  [[nodiscard]] std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return threads_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::thread::id> threads_;
};

orb::Settings shard_settings() {
  orb::Settings settings = server_settings(ThreadStrategy::reactor_per_core);
  settings.threads = 3;
  settings.accept_shards = true;
  return settings;
}

}  // namespace

TEST_CASE("a server over io_uring serves its clients, under each strategy") {
  const ServerFixture server(uring_settings(each_strategy()));
  check_calls(server, 20);
  check_calls(server, 3);  // after connections have ended
}

TEST_CASE("a server over io_uring sends a reply that is larger than the queues of the sockets") {
  constexpr std::size_t size = 8 * 1024 * 1024;
  const ServerFixture server(uring_settings(each_strategy()), [](orb::ServerRequest& request) {
    static_cast<void>(argument_of(request));
    const std::vector<std::uint8_t> octets(size, 7);
    request.reply([&octets](cdr::Encoder& encoder) { encoder << octets; });
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1, .argument = 1}));
  CHECK(receive_fragments(client, size));
  client.send(make_request({.key = server.key, .id = 2, .argument = 1}));
  CHECK(receive_fragments(client, size));
}

TEST_CASE("a server uses epoll if the kernel refuses io_uring, and logs this in one line") {
  constexpr std::string_view refusal = "io_uring is not available";
  std::thread([refusal] {
    refuse_io_uring();
    LogLines lines(log::Level::warning);
    orb::Settings settings = uring_settings(ThreadStrategy::reactor_per_core);
    settings.threads = 3;
    const ServerFixture server(settings);
    check_calls(server, 3);
    const std::string text = lines.text();
    const std::size_t line = text.find(refusal);
    CHECK(line != std::string::npos);
    CHECK(text.find(refusal, line + 1) == std::string::npos);
  }).join();
}

TEST_CASE("loops that accept by themselves share the clients") {
  NotedThreads threads;
  const ServerFixture server(shard_settings(), std::ref(threads));
  check_calls(server, 48);
  CHECK(threads.count() > 1);
}

TEST_CASE("loops that accept by themselves serve at an endpoint that is opened later") {
  NotedThreads threads;
  ServerFixture server(shard_settings(), std::ref(threads));
  const auto added = server.orb.core().server()->listen({"iiop", "127.0.0.1:0"});
  REQUIRE(added.has_value());
  server.endpoint = *added;
  check_calls(server, 48);
  CHECK(threads.count() > 1);
}

TEST_CASE("loops that accept by themselves keep the limit of connections") {
  orb::Settings settings = shard_settings();
  settings.server_connections_max = 4;
  const ServerFixture server(settings);
  for (int round = 0; round < 5; ++round) check_calls(server, 4);
}

TEST_CASE("loops that accept by themselves accept no more when the protocol is unloaded") {
  const ServerFixture server(shard_settings());
  check_calls(server, 6);
  REQUIRE(server.orb.core().protocols().remove("iiop"));
  server.orb.core().server()->close_removed();
  const auto connector = transport::make_tcp_protocol()->make_connector();
  CHECK_FALSE(connector->connect(server.endpoint, std::chrono::seconds(10)).has_value());
}
