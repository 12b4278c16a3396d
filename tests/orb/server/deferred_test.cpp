// Deferred replies over connections, under every thread strategy.
#include "orb/act.h"
#include "orb/context/orb_metrics.h"
#include "orb/policies.h"
#include "orb/server/deferred_replies.h"
#include "orb/server/server_fixture.h"
#include "support/allocations.h"
#include "support/await_condition.h"
#include <perigee/orb/stub.h>
#include <perigee/poa/answer.h>
#include <perigee/poa/stop_token.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using skeleton::Answer;

TEST_CASE("deferred replies are sent at once, in any order, from any thread") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  RawClient client(server.endpoint);
  for (const std::uint32_t id : {1u, 2u, 3u})
    client.send(make_request({.key = server.key, .id = id, .argument = id * 10}));
  for (const std::uint32_t id : {3u, 1u, 2u}) {
    send_result(deferred.take(id * 10), id * 100);
    const RawReply reply = client.reply();
    CHECK(reply.id() == id);
    CHECK(reply.status() == 0);
    CHECK(reply.result() == id * 100);
  }
  CHECK(server.orb.core().requests_in_progress() == 0);
}

TEST_CASE("the latency of a deferred request includes the upcall before the deferral") {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds upcall_time{2};
  orb::Settings settings = server_settings(each_strategy());
  settings.measure_latencies = true;
  const ServerFixture server(settings, [upcall_time](orb::ServerRequest& request) {
    const auto end = Clock::now() + upcall_time;
    while (Clock::now() < end) std::this_thread::yield();
    request.end_of_arguments();
    send_result(Answer(request), 1);
  });
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key}).result() == 1);
  const auto snapshot = [&] { return server.orb.core().metrics_snapshot(); };
  while (snapshot().latencies("server", "act") == nullptr) std::this_thread::yield();
  CHECK(snapshot().latencies("server", "act")->sum >= upcall_time);
}

TEST_CASE("the client gets NO_RESPONSE for a deferred request that is dropped") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  (void)deferred.take(1);
  CHECK(client.reply().repository_id() == "IDL:omg.org/CORBA/NO_RESPONSE:1.0");
}

TEST_CASE("a deferred reply may be sent within its upcall") {
  const ServerFixture server(each_strategy(), [](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    request.end_of_arguments();
    send_result(Answer(request), argument + 1);
  });
  RawClient client(server.endpoint);
  Octets batch;
  for (std::uint32_t id = 0; id < 100; ++id)
    batch = std::move(batch) + make_request({.key = server.key, .id = id, .argument = id});
  client.send(batch);
  std::vector<bool> answered(100);
  for (int count = 0; count < 100; ++count) {
    const RawReply reply = client.reply();
    CHECK(reply.result() == reply.id() + 1);
    answered.at(reply.id()) = true;
  }
  CHECK(std::ranges::count(answered, true) == 100);
}

TEST_CASE("the servant is told of a cancelled request, and the client gets no reply") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 7, .argument = 1}));
  Answer answer = deferred.take(1);
  const std::stop_token token = stop_token_of(answer);
  client.send(make_cancel_request(7));
  await_stop(token);
  send_result(std::move(answer), 1);
  client.send(make_request({.key = server.key, .id = 8, .argument = 2}));
  send_result(deferred.take(2), 20);
  CHECK(client.reply().id() == 8);
}

TEST_CASE("the servant is told that its client has disconnected, and the reply is dropped") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  Answer answer;
  {
    RawClient client(server.endpoint);
    client.send(make_request({.key = server.key, .argument = 1}));
    answer = deferred.take(1);
  }
  await_stop(stop_token_of(answer));
  send_result(std::move(answer), 1);
  RawClient other(server.endpoint);
  other.send(make_request({.key = server.key, .argument = 2}));
  send_result(deferred.take(2), 20);
  CHECK(other.reply().result() == 20);
}

TEST_CASE("a half-closed connection still carries the deferred reply") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  Answer answer = deferred.take(1);
  client.end_sending();
  await_stop(stop_token_of(answer));
  send_result(std::move(answer), 5);
  CHECK(client.reply().result() == 5);
  CHECK(client.at_end());
}

TEST_CASE("a shutdown without waiting tells the servant, and still sends the deferred reply") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  Answer answer = deferred.take(1);
  const std::stop_token token = stop_token_of(answer);
  server.orb.core().shutdown(orb::Completion::do_not_wait);
  await_stop(token);
  std::jthread replier([&] { send_result(std::move(answer), 9); });
  CHECK(client.reply().result() == 9);
  CHECK(RawReply(client.receive()).type() == type_close_connection);
  CHECK(client.at_end());
}

TEST_CASE("a shutdown that waits does not ask deferred requests to stop") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  Answer answer = deferred.take(1);
  const std::stop_token token = stop_token_of(answer);
  auto stopped =
      std::async(std::launch::async, [&] { server.orb.core().shutdown(orb::Completion::wait); });
  CHECK(stopped.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  CHECK_FALSE(token.stop_requested());
  send_result(std::move(answer), 9);
  CHECK(client.reply().result() == 9);
}

TEST_CASE("a shutdown without waiting tells the servant of a collocated call") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  std::uint32_t result = 0;
  std::jthread caller([&] { result = act(server.object, 1); });
  Answer answer = deferred.take(1);
  const std::stop_token token = stop_token_of(answer);
  server.orb.core().shutdown(orb::Completion::do_not_wait);
  await_stop(token);
  send_result(std::move(answer), 9);
  caller.join();
  CHECK(result == 9);
}

TEST_CASE("the servant of a collocated call is told of an earlier shutdown") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  server.orb.core().shutdown(orb::Completion::do_not_wait);
  std::uint32_t result = 0;
  std::jthread caller([&] { result = act(server.object, 1); });
  Answer answer = deferred.take(1);
  await_stop(stop_token_of(answer));
  send_result(std::move(answer), 9);
  caller.join();
  CHECK(result == 9);
}

TEST_CASE("a shutdown without waiting tells the servant while another shutdown waits") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  Answer answer = deferred.take(1);
  const std::stop_token token = stop_token_of(answer);
  std::jthread waiting([&] { server.orb.core().shutdown(orb::Completion::wait); });
  while (!server.orb.core().stopping()) std::this_thread::yield();
  server.orb.core().shutdown(orb::Completion::do_not_wait);
  await_stop(token);
  send_result(std::move(answer), 9);
  CHECK(client.reply().result() == 9);
}

TEST_CASE("the end of an ORB waits for deferred replies, and a late reply is not an error") {
  DeferredReplies deferred;
  std::jthread replier;
  Answer answer;
  {
    const ServerFixture server(each_strategy(), deferred.servant());
    std::optional<RawClient> client(server.endpoint);
    client->send(make_request({.key = server.key, .argument = 1}));
    answer = deferred.take(1);
    client.reset();
    await_stop(stop_token_of(answer));
    replier = std::jthread([&answer, core = server.orb.core().weak_from_this()] {
      for (auto known = core.lock(); known && !known->stopping(); known = core.lock())
        std::this_thread::yield();
      send_result(std::move(answer), 1);
    });
  }
  replier.join();
}

TEST_CASE("a servant that defers its reply during a shutdown is told of the shutdown at once") {
  std::binary_semaphore entered{0};
  std::binary_semaphore go_on{0};
  Answer answer;
  const ThreadStrategy strategy = each_strategy();
  const ServerFixture server(strategy, [&](orb::ServerRequest& request) {
    entered.release();
    go_on.acquire();
    answer = Answer(request);
    entered.release();
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  entered.acquire();
  server.orb.core().shutdown(orb::Completion::do_not_wait);
  go_on.release();
  entered.acquire();
  await_stop(stop_token_of(answer));
  answer = Answer();
}

TEST_CASE("a collocated call ends at its time limit, and the servant is told of the end") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  const auto hurried = limited(server.object, server.orb.core(), std::chrono::milliseconds(20));
  CHECK_THROWS_AS(act(hurried, 1), CORBA::TIMEOUT);
  Answer answer = deferred.take(1);
  await_stop(stop_token_of(answer));
  send_result(std::move(answer), 1);
}

TEST_CASE("thousands of requests of one connection have deferred replies") {
  constexpr std::uint32_t count = 10'000;
  DeferredReplies deferred;
  orb::Settings settings = server_settings(each_strategy());
  settings.requests_per_connection_max = count;
  const ServerFixture server(settings, deferred.servant());
  RawClient client(server.endpoint);
  std::jthread sender([&] {
    for (std::uint32_t id = 0; id < count; ++id)
      client.send(make_request({.key = server.key, .id = id, .argument = id}));
  });
  deferred.await_count(count);
  sender.join();
  CHECK(server.orb.core().requests_in_progress() == count);
  std::jthread replier([answers = deferred.take_all()]() mutable {
    for (auto& [argument, answer] : answers) send_result(std::move(answer), argument + 1);
  });
  for (std::uint32_t received = 0; received < count; ++received) {
    const RawReply reply = client.reply();
    CHECK(reply.result() == reply.id() + 1);
  }
}

TEST_CASE("a connection at its limit of deferred replies is drained like other connections") {
  DeferredReplies deferred;
  orb::Settings settings = server_settings(each_strategy());
  settings.requests_per_connection_max = 2;
  settings.threads = 1;  // no two upcalls at once
  const ServerFixture server(settings, deferred.servant());
  RawClient client(server.endpoint);
  for (std::uint32_t id = 0; id < 4; ++id)
    client.send(make_request({.key = server.key, .id = id, .argument = id}));
  deferred.await_count(2);
  std::jthread stopper([&] { server.orb.core().shutdown(orb::Completion::wait); });
  const std::jthread replier([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (auto& [argument, answer] : deferred.take_all())
        send_result(std::move(answer), argument + 1);
      std::this_thread::yield();
    }
  });
  // Requests that the server has not read before the shutdown are not executed.
  std::uint32_t replies = 0;
  for (;; ++replies) {
    const Octets message = client.receive();
    REQUIRE_FALSE(message.empty());
    if (RawReply(message).type() == type_close_connection) break;
  }
  CHECK(replies >= 2);
  stopper.join();
}

TEST_CASE(
    "a client that does not read its deferred replies is disconnected, and others are served") {
  constexpr std::size_t size = 1 << 20;
  DeferredReplies deferred;
  orb::Settings settings = server_settings(each_strategy());
  settings.send_timeout = std::chrono::milliseconds(100);
  const ServerFixture server(settings, deferred.servant());
  RawClient deaf(server.endpoint);
  RawClient other(server.endpoint);
  for (std::uint32_t id = 0; id < 20; ++id)
    deaf.send(make_request({.key = server.key, .id = id, .argument = id}));
  deferred.await_count(20);
  std::jthread replier([answers = deferred.take_all()]() mutable {
    const std::vector<std::uint8_t> large(size);
    for (auto& [argument, answer] : answers)
      answer.reply([&](cdr::Encoder& encoder) { encoder << large; });
  });
  other.send(make_request({.key = server.key, .argument = 100}));
  send_result(deferred.take(100), 1);
  CHECK(other.reply().result() == 1);
  replier.join();
  await_condition(
      [&] { return server.orb.core().metrics().server_traffic.totals().connections_open <= 1; });
}

TEST_CASE("a collocated call waits for a deferred reply") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  std::jthread replier([&] { send_result(deferred.take(1), 21); });
  CHECK(act(server.object, 1) == 21);
}

TEST_CASE("an upcall may wait for a deferred reply that another upcall of its server gives") {
  DeferredReplies deferred;
  CORBA::object_reference<CORBA::Object> deferring;
  const ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    request.end_of_arguments();
    // The first upcall calls the other object. The second upcall gives that object's reply.
    const std::uint32_t result = argument == 1 ? act(deferring, 5) : 0;
    if (argument == 2) send_result(deferred.take(5), 55);
    request.reply([result](cdr::Encoder& encoder) { encoder << result; });
  });
  deferring = server.orb.root()->servant_to_reference(make_servant(deferred.servant()));
  RawClient first(server.endpoint);
  RawClient second(server.endpoint);
  first.send(make_request({.key = server.key, .argument = 1}));
  deferred.await_count(1);
  CHECK(second.call({.key = server.key, .argument = 2}).result() == 0);
  CHECK(first.reply().result() == 55);
}

namespace {

class Done : public CORBA::LocalObject {
 public:
  virtual void done() = 0;
};

class DoneHandler final : public Done, public skeleton::HandlerState {
 public:
  using HandlerState::HandlerState;
  void done() override { _answer().reply(nullptr); }
};

}  // namespace

#ifndef PERIGEE_TEST_SANITIZED
// Under sanitizers the pool keeps no memory.
TEST_CASE("a reply through a handler allocates nothing in the steady state") {
  std::vector<std::size_t> counts;
  counts.reserve(1000);
  std::mutex mutex;
  orb::Settings settings = server_settings(each_strategy());
  settings.threads = 1;  // another thread would allocate its buffers when it first serves
  const ServerFixture server(settings, [&](orb::ServerRequest& request) {
    const skeleton::Handled<DoneHandler> handled(request);
    handled.call([&] { handled.reference<Done>()->done(); });
    const std::lock_guard lock(mutex);
    counts.push_back(allocations().count);
  });
  RawClient client(server.endpoint);
  for (std::uint32_t id = 0; id < 200; ++id) (void)client.call({.key = server.key, .id = id});
  const std::lock_guard lock(mutex);
  REQUIRE(counts.size() >= 199);  // the last reply may arrive before the servant adds its count
  CHECK(counts[198] - counts[100] == 0);
}
#endif

TEST_CASE("a deferred oneway expects a reply only if its scope is the target") {
  DeferredReplies deferred;
  const ServerFixture server(each_strategy(), deferred.servant());
  RawClient client(server.endpoint);
  // Response flags of CORBA 3.0, 15.4.2: none, and WITH_SERVER.
  client.send(make_request({.key = server.key, .id = 1, .response_flags = 0, .argument = 1}));
  Answer dropped = deferred.take(1);
  CHECK_FALSE(dropped.expected());
  send_result(std::move(dropped), 1);
  client.send(make_request({.key = server.key, .id = 2, .response_flags = 1, .argument = 2}));
  CHECK(client.reply().id() == 2);  // sent before the servant replies
  Answer arrived = deferred.take(2);
  CHECK_FALSE(arrived.expected());
  send_result(std::move(arrived), 2);
  // WITH_TARGET
  client.send(make_request({.key = server.key, .id = 3, .response_flags = 3, .argument = 3}));
  send_result(deferred.take(3), 33);
  CHECK(client.reply().result() == 33);
}
