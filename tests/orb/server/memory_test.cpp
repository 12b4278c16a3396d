// Hostile clients that send parts of messages: single octets, and many unfinished messages.
#include "engine/memory/budget.h"
#include "orb/server/deferred_replies.h"
#include "orb/server/server_fixture.h"
#include "support/await_condition.h"
#include <perigee/cdr/kept_sequence.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

using std::chrono::milliseconds;

constexpr std::size_t mib = 1 << 20;

orb::Settings hurried(ThreadStrategy strategy) {
  orb::Settings settings = server_settings(strategy);
  settings.pace_grace = milliseconds(300);
  return settings;
}

/// Replies without decoding the arguments.
void answer(orb::ServerRequest& request) {
  request.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{7}; });
}

/// A request with `size` octets after its header.
Octets large_request(const Octets& key, std::size_t size) {
  Octets message = make_request({.key = key, .argument = 1});
  message.resize(message.size() + size);
  const auto announced = static_cast<std::uint32_t>(message.size() - 12);
  std::memcpy(message.data() + 8, &announced, 4);
  return message;
}

bool ends_with_message_error(RawClient& client) {
  const Octets message = client.receive();
  return message.empty() || (RawReply(message).type() == type_message_error && client.at_end());
}

}  // namespace

/// Answers with the sum of the octets, as a skeleton decodes them.
void add_octets(orb::ServerRequest& request) {
  cdr::KeptSequence<std::uint8_t> octets;
  request.arguments() >> octets;
  request.end_of_arguments();
  const std::vector<std::uint8_t>& values = octets;
  const std::uint32_t sum = std::accumulate(values.begin(), values.end(), 0u);
  request.reply([sum](cdr::Encoder& encoder) { encoder << sum; });
}

TEST_CASE("consecutive calls with large sequences each deliver the octets that were sent") {
  const ServerFixture server(each_strategy(), add_octets);
  RawClient client(server.endpoint);
  for (const std::size_t size : {mib, mib, mib / 2, 2 * mib, mib}) {
    Octets request =
        make_request({.key = server.key, .argument = static_cast<std::uint32_t>(size)});
    const std::size_t head = request.size();
    request.resize(head + size);
    const auto announced = static_cast<std::uint32_t>(request.size() - 12);
    std::memcpy(request.data() + 8, &announced, 4);
    std::uint32_t sum = 0;
    for (std::size_t index = 0; index < size; ++index) {
      request[head + index] = static_cast<std::byte>((index * 7 + size / 5) % 253);
      sum += std::to_integer<std::uint32_t>(request[head + index]);
    }
    client.send(request);
    CHECK(client.reply().result() == sum);
  }
}

TEST_CASE("the connection of a client that sends a request octet by octet is evicted") {
  const ServerFixture server(hurried(each_strategy()));
  RawClient slow(server.endpoint);
  const Octets request = large_request(server.key, 100'000);
  std::atomic<bool> ended{false};
  std::thread sender([&] {
    for (std::size_t place = 0; place < request.size() && !ended; ++place) {
      if (!slow.try_send(OctetSpan(request).subspan(place, 1))) break;
      std::this_thread::sleep_for(milliseconds(20));
    }
  });
  CHECK(ends_with_message_error(slow));
  ended = true;
  sender.join();
  RawClient honest(server.endpoint);
  CHECK(honest.call({.key = server.key, .argument = 1}).result() == 2);
}

TEST_CASE("a client that sends whole requests, each in two parts, keeps its connection") {
  const ServerFixture server(hurried(each_strategy()));
  RawClient client(server.endpoint);
  for (std::uint32_t call = 1; call <= 12; ++call) {
    const Octets request = make_request({.key = server.key, .id = call, .argument = call});
    client.send(Octets(request.begin(), request.begin() + 20));
    std::this_thread::sleep_for(milliseconds(50));
    client.send(Octets(request.begin() + 20, request.end()));
    CHECK(client.reply().result() == call + 1);
  }
}

TEST_CASE("a slow client that keeps the pace is served") {
  orb::Settings settings = hurried(each_strategy());
  settings.pace_octets_per_second = 100;
  const ServerFixture server(settings, answer);
  RawClient client(server.endpoint);
  const Octets request = large_request(server.key, 4000);
  for (std::size_t place = 0; place < request.size(); place += 200) {
    const std::size_t size = std::min<std::size_t>(200, request.size() - place);
    REQUIRE(client.try_send(OctetSpan(request).subspan(place, size)));
    std::this_thread::sleep_for(milliseconds(50));
  }
  CHECK(client.reply().result() == 7);
}

TEST_CASE("the connection of a client that reads its replies too slowly is evicted") {
  orb::Settings settings = hurried(each_strategy());
  settings.send_timeout = milliseconds(800);
  settings.pace_octets_per_second = 1 << 30;
  const std::vector<std::uint8_t> result(64 * mib);
  const ServerFixture server(
      TestParts{.settings = settings, .limits = {.message_size_max = 128 * mib}},
      [&](orb::ServerRequest& request) {
        request.reply([&](cdr::Encoder& encoder) { encoder << result; });
      });
  RawClient slow(server.endpoint);
  slow.send(make_request({.key = server.key, .argument = 1}));
  std::size_t received = 0;
  for (;;) {
    const std::size_t size = slow.receive_part(256 * 1024).size();
    if (size == 0) break;
    received += size;
    std::this_thread::sleep_for(milliseconds(20));
  }
  CHECK(received < result.size());
  CHECK(server.orb.core().evictions() == 1);
}

// Each connection alone stays within its own limits.
TEST_CASE("unfinished messages of all connections together stay within the budget") {
  orb::Settings settings = server_settings(each_strategy());
  settings.unfinished_size_max = 4 * mib;
  settings.storage_cache_size_max = 0;
  const ServerFixture server(TestParts{.settings = settings, .limits = {.message_size_max = mib}},
                             answer);
  const engine::MemoryBudget& budget = server.orb.core().memory_budget();
  const Octets request = large_request(server.key, mib - 1000);
  std::vector<std::unique_ptr<RawClient>> clients;
  std::vector<std::thread> senders;
  std::atomic<std::size_t> refused{0};
  for (int number = 0; number < 8; ++number) {
    clients.push_back(std::make_unique<RawClient>(server.endpoint));
    senders.emplace_back([&, client = clients.back().get()] {
      if (!client->try_send(OctetSpan(request).first(request.size() - 100))) ++refused;
    });
  }
  std::uint64_t most = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  RawClient honest(server.endpoint);
  while (server.orb.core().evictions() < 4 && std::chrono::steady_clock::now() < end) {
    most = std::max(most, budget.charged(engine::Use::unfinished));
    CHECK(honest.call({.key = server.key, .argument = 1}).result() == 7);
    std::this_thread::sleep_for(milliseconds(1));
  }
  CHECK(server.orb.core().evictions() >= 4);
  CHECK(most <= 5 * mib);  // the oldest message is exempt
  for (std::thread& sender : senders) sender.join();
  std::size_t served = 0;
  for (const auto& client : clients) {
    if (!client->try_send(OctetSpan(request).last(100))) continue;
    const Octets message = client->receive();
    if (!message.empty() && RawReply(message).type() == type_reply) ++served;
  }
  CHECK(served >= 3);
  clients.clear();
  while (budget.charged(engine::Use::unfinished) != 0) std::this_thread::yield();
}

// Deferred replies never wait for their clients: they are queued.
TEST_CASE("replies for slow clients stay within the budget, and clients that read are served") {
  DeferredReplies deferred;
  orb::Settings settings = server_settings(each_strategy());
  settings.unsent_size_max = 16 * mib;
  settings.write_queue_size_max = 64 * mib;
  const ServerFixture server(settings, deferred.servant());
  const engine::MemoryBudget& budget = server.orb.core().memory_budget();
  const std::vector<std::uint8_t> result(10 * mib);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::uint32_t number = 0; number < 4; ++number) {
    clients.push_back(std::make_unique<RawClient>(server.endpoint));
    clients.back()->send(make_request({.key = server.key, .argument = number}));
  }
  for (std::uint32_t number = 0; number < 4; ++number)
    deferred.take(number).reply([&](cdr::Encoder& encoder) { encoder << result; });
  std::size_t received = 0;
  std::thread reader([&] {
    while (received < result.size()) {
      const std::size_t size = clients[3]->receive_part(mib).size();
      if (size == 0) break;
      received += size;
    }
  });
  await_condition([&] { return budget.charged(engine::Use::unsent) <= 16 * mib; });
  reader.join();
  CHECK(received >= result.size());
  CHECK(server.orb.core().evictions() >= 1);
  CHECK(server.orb.core().evictions() <= 3);
  clients.clear();
  while (budget.charged(engine::Use::unsent) != 0) std::this_thread::yield();
}
