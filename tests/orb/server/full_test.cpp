// Connections at their limit of deferred replies, and requests whose callers no longer wait.
#include "orb/context/orb_metrics.h"
#include "orb/server/deferred_replies.h"
#include "support/await_condition.h"
#include <perigee/cdr/operators.h>
#include <perigee/poa/stop_token.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using skeleton::Answer;

namespace {

constexpr std::uint32_t context_remaining_time = 0x50474501;

orb::Settings settings_with_room_for(std::uint32_t requests) {
  orb::Settings settings = server_settings(each_strategy());
  settings.requests_per_connection_max = requests;
  return settings;
}

void request(RawClient& client, const ServerFixture& server, std::uint32_t id) {
  client.send(make_request({.key = server.key, .id = id, .argument = id}));
}

/// Sends a request whose caller waits for 20 ms.
void request_limited(RawClient& client, const ServerFixture& server, std::uint32_t id) {
  client.send(
      make_request({.key = server.key,
                    .id = id,
                    .argument = id,
                    .context_id = context_remaining_time,
                    .context = octets(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x4e, 0x20)}));
}

}  // namespace

TEST_CASE("a request above the limit of requests in progress waits until a reply is given") {
  DeferredReplies deferred;
  orb::Settings settings = server_settings(each_strategy());
  settings.requests_per_connection_max = 3;
  const ServerFixture server(settings, deferred.servant());
  RawClient client(server.endpoint);
  for (std::uint32_t id = 0; id < 3; ++id)
    client.send(make_request({.key = server.key, .id = id, .argument = id}));
  deferred.await_count(3);
  for (const std::uint32_t id : {8u, 9u})
    client.send(make_request({.key = server.key, .id = id, .argument = id}));
  RawClient other(server.endpoint);
  other.send(make_request({.key = server.key, .argument = 20}));
  send_result(deferred.take(20), 21);
  CHECK(other.reply().result() == 21);  // the other connection is not affected
  CHECK(server.orb.core().requests_in_progress() == 3);
  send_result(deferred.take(1), 11);
  CHECK(client.reply().result() == 11);
  send_result(deferred.take(8), 18);
  send_result(deferred.take(9), 19);
  CHECK(client.reply().result() == 18);
  CHECK(client.reply().result() == 19);
  (void)deferred.take_all();  // otherwise the server's destructor would wait for these replies
}

TEST_CASE("thousands of requests pass a connection that allows few deferred replies at a time") {
  constexpr std::uint32_t count = 5'000;
  DeferredReplies deferred;
  orb::Settings settings = server_settings(each_strategy());
  settings.requests_per_connection_max = 8;
  const ServerFixture server(settings, deferred.servant());
  RawClient client(server.endpoint);
  std::jthread sender([&] {
    for (std::uint32_t id = 0; id < count; ++id)
      client.send(make_request({.key = server.key, .id = id, .argument = id}));
  });
  std::atomic<std::uint32_t> most = 0;
  std::jthread replier([&] {
    for (std::uint32_t id = 0; id < count; ++id) {
      Answer answer = deferred.take(id);
      most = std::max(most.load(), server.orb.core().requests_in_progress());
      send_result(std::move(answer), id + 1);
    }
  });
  std::uint32_t received = 0;
  for (; received < count; ++received) {
    const RawReply reply = client.reply();
    if (reply.status() != 0 || reply.result() != reply.id() + 1) break;
  }
  CHECK(received == count);
  CHECK(most <= 8);
}

TEST_CASE("a connection at its limit of requests in progress still receives cancel requests") {
  DeferredReplies deferred;
  const ServerFixture server(settings_with_room_for(3), deferred.servant());
  RawClient client(server.endpoint);
  for (std::uint32_t id = 0; id < 3; ++id) request(client, server, id);
  deferred.await_count(3);
  Answer answer = deferred.take(1);
  const std::stop_token token = stop_token_of(answer);
  client.send(make_cancel_request(1));
  request(client, server, 8);
  await_stop(token);
  send_result(std::move(answer), 11);  // this reply makes room for request 8, but is not sent
  send_result(deferred.take(8), 18);
  CHECK(client.reply().id() == 8);
  (void)deferred.take_all();
}

TEST_CASE("a connection at its limit of requests in progress notices that its client is gone") {
  DeferredReplies deferred;
  const ServerFixture server(settings_with_room_for(2), deferred.servant());
  {
    RawClient client(server.endpoint);
    for (std::uint32_t id = 0; id < 2; ++id) request(client, server, id);
    deferred.await_count(2);
    for (const std::uint32_t id : {8u, 9u}) request(client, server, id);  // unread
  }
  for (auto& [argument, answer] : deferred.take_all()) {
    await_stop(stop_token_of(answer));
    send_result(std::move(answer), 1);
  }
  await_condition([&] {
    (void)deferred.take_all();  // the requests that were unread
    return server.orb.core().metrics().server_traffic.totals().connections_open == 0;
  });
}

TEST_CASE("the servant gets a stop request when the time limit of its caller has passed") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  RawClient client(server.endpoint);
  for (const std::uint32_t id : {1u, 2u}) request_limited(client, server, id);
  request(client, server, 3);
  for (const std::uint32_t id : {2u, 1u}) {
    Answer answer = deferred.take(id);
    await_stop(stop_token_of(answer));
    send_result(std::move(answer), id);  // late, but the client may still accept it
    CHECK(client.reply().id() == id);
  }
  Answer unlimited = deferred.take(3);
  CHECK_FALSE(stop_token_of(unlimited).stop_requested());
  send_result(std::move(unlimited), 30);
  CHECK(client.reply().id() == 3);
}

TEST_CASE("the servants of successive requests each get a stop request after the time limit") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  RawClient client(server.endpoint);
  for (std::uint32_t id = 0; id < 3; ++id) {
    request_limited(client, server, id);
    Answer answer = deferred.take(id);
    await_stop(stop_token_of(answer));
  }
}

TEST_CASE("a servant's reply does not wait for a slow client, which gets all replies later") {
  constexpr std::size_t size = 1 << 20;
  constexpr std::uint32_t count = 24;
  DeferredReplies deferred;
  orb::Settings settings = server_settings(each_strategy());
  settings.send_timeout = std::chrono::milliseconds(0);  // no limit for slow clients
  settings.write_queue_size_max = count * 2 * size;
  const ServerFixture server(settings, deferred.servant());
  RawClient slow(server.endpoint);
  RawClient other(server.endpoint);
  for (std::uint32_t id = 0; id < count; ++id) request(slow, server, id);
  deferred.await_count(count);
  const std::vector<std::uint8_t> large(size);
  for (auto& [id, answer] : deferred.take_all())
    answer.reply([&](cdr::Encoder& encoder) { encoder << large; });
  request(other, server, count);
  send_result(deferred.take(count), 30);
  CHECK(other.reply().result() == 30);
  std::size_t taken = 0;  // the replies arrive in fragments
  while (taken < count * size) {
    const Octets part = slow.receive_part(1 << 16);
    REQUIRE_FALSE(part.empty());
    taken += part.size();
  }
  request(slow, server, count + 1);
  send_result(deferred.take(count + 1), 40);
}

TEST_CASE("held oneways are executed although the connection is at its limit of requests") {
  constexpr std::uint32_t full = 4;
  DeferredReplies deferred;
  std::atomic<std::uint32_t> oneways = 0;
  orb::Settings settings = server_settings(each_strategy());
  settings.requests_per_connection_max = full;
  const ServerFixture server(settings, deferred.servant());
  const auto held = server.orb.root()->create_POA("held", nullptr, {});
  const auto id_of_object =
      held->activate_object(make_servant([&](orb::ServerRequest& /*request*/) { ++oneways; }));
  const Octets key = server.orb.key_of(held->id_to_reference(id_of_object));
  RawClient client(server.endpoint);
  client.send(make_request({.key = key, .id = 100, .response_flags = 0}) +
              make_request({.key = key, .id = 101, .response_flags = 0}));
  for (std::uint32_t id = 0; id < full; ++id)
    client.send(make_request({.key = server.key, .id = id, .argument = id}));
  deferred.await_count(full);
  held->the_POAManager()->activate();
  await_condition([&] { return oneways >= 2; });
  for (auto& [argument, answer] : deferred.take_all()) send_result(std::move(answer), argument);
  for (std::uint32_t id = 0; id < full; ++id) CHECK(client.reply().status() == 0);
}
