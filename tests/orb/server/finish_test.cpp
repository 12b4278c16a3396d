// The end of a connection's output, under every thread strategy: a client that goes on reading
// gets its whole reply, however slowly it reads.
#include "orb/server/deferred_replies.h"
#include "orb/server/raw_client.h"
#include "orb/server/server_fixture.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t result_size = 40'000'000;
constexpr std::size_t part_size = 4'000'000;  // read without a pause
constexpr milliseconds pause{60};

// The time-outs are shorter than the reading of the whole reply, and longer than a client may be
// interrupted on a busy machine.
orb::Settings short_drain(ThreadStrategy strategy) {
  orb::Settings settings = server_settings(strategy);
  settings.drain_timeout = milliseconds(500);
  settings.drain_idle_timeout = milliseconds(500);
  return settings;
}

void send_much(skeleton::Answer answer) {
  static const std::vector<std::uint8_t> result(result_size);
  answer.reply([](cdr::Encoder& encoder) { encoder << result; });
}

// The types of the messages that arrive whole until the end of the stream.
std::vector<unsigned> read_slowly(RawClient& client) {
  Octets all;
  all.reserve(result_size + 1024 * 1024);  // copying the octets again would be a pause, too
  for (std::size_t next_pause = part_size;;) {
    const Octets part = client.receive_part(64 * 1024);
    if (part.empty()) break;
    all.insert(all.end(), part.begin(), part.end());
    if (all.size() < next_pause) continue;
    next_pause += part_size;
    std::this_thread::sleep_for(pause);
  }
  std::vector<unsigned> types;
  for (OctetSpan rest = all; rest.size() >= 12;) {
    std::uint32_t size = 0;
    std::memcpy(&size, rest.data() + 8, 4);
    if (rest.size() < size + 12) break;
    const auto type = static_cast<unsigned>(rest[7]);
    const bool is_fragment = type == 7;
    if (!is_fragment) types.push_back(type);
    rest = rest.subspan(size + 12);
    if (rest.empty()) return types;
  }
  types.clear();  // the last message was cut
  return types;
}

constexpr unsigned reply_type = 1;
constexpr unsigned close_type = 5;

}  // namespace

TEST_CASE("a client that goes on reading gets its whole deferred reply when the server stops") {
  DeferredReplies deferred;
  ServerFixture server(short_drain(each_strategy()), deferred.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  send_much(deferred.take(1));
  auto stopped =
      std::async(std::launch::async, [&] { server.orb.core().shutdown(orb::Completion::wait); });
  CHECK(read_slowly(client) == std::vector<unsigned>{reply_type, close_type});
  stopped.get();
}

TEST_CASE("a client that goes on reading gets its whole reply when the server stops") {
  std::promise<void> entered;
  static const std::vector<std::uint8_t> result(result_size);
  ServerFixture server(short_drain(each_strategy()), [&](orb::ServerRequest& request) {
    entered.set_value();
    request.reply([](cdr::Encoder& encoder) { encoder << result; });
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key}));
  entered.get_future().wait();
  auto stopped =
      std::async(std::launch::async, [&] { server.orb.core().shutdown(orb::Completion::wait); });
  CHECK(read_slowly(client) == std::vector<unsigned>{reply_type, close_type});
  stopped.get();
}

TEST_CASE("a client that goes on reading gets its whole reply although its connection is idle") {
  DeferredReplies deferred;
  orb::Settings settings = short_drain(each_strategy());
  settings.idle_timeout = milliseconds(50);  // shorter than send_timeout
  settings.drain_timeout = std::chrono::seconds(20);
  const ServerFixture server(settings, deferred.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  send_much(deferred.take(1));
  std::this_thread::sleep_for(milliseconds(200));  // four times the idle time-out
  CHECK(read_slowly(client) == std::vector<unsigned>{reply_type, close_type});
}

TEST_CASE("a client that has half-closed its connection gets its whole deferred reply") {
  DeferredReplies deferred;
  const ServerFixture server(short_drain(each_strategy()), deferred.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  skeleton::Answer answer = deferred.take(1);
  client.end_sending();
  std::this_thread::sleep_for(milliseconds(20));  // the server may notice it
  send_much(std::move(answer));
  CHECK(read_slowly(client) == std::vector<unsigned>{reply_type});
}
