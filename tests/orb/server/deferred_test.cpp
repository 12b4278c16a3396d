// Deferred replies over connections, under every thread strategy.
#include "orb/act.h"
#include "orb/context/orb_metrics.h"
#include "orb/policies.h"
#include "orb/server/debts.h"
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

TEST_CASE("deferred replies are sent when they are given, in any order, from any thread") {
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  RawClient client(server.endpoint);
  for (const std::uint32_t id : {1u, 2u, 3u})
    client.send(make_request({.key = server.key, .id = id, .argument = id * 10}));
  for (const std::uint32_t id : {3u, 1u, 2u}) {
    pay(debts.take(id * 10), id * 100);
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
    pay(Answer(request), 1);
  });
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key}).result() == 1);
  const auto snapshot = [&] { return server.orb.core().metrics_snapshot(); };
  while (snapshot().latencies("server", "act") == nullptr) std::this_thread::yield();
  CHECK(snapshot().latencies("server", "act")->sum >= upcall_time);
}

TEST_CASE("the client gets NO_RESPONSE for an answer that is dropped") {
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  (void)debts.take(1);
  CHECK(client.reply().repository_id() == "IDL:omg.org/CORBA/NO_RESPONSE:1.0");
}

TEST_CASE("an answer may be given within its upcall") {
  const ServerFixture server(each_strategy(), [](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    request.end_of_arguments();
    pay(Answer(request), argument + 1);
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
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 7, .argument = 1}));
  Answer answer = debts.take(1);
  const std::stop_token token = stop_token_of(answer);
  client.send(make_cancel_request(7));
  await_stop(token);
  pay(std::move(answer), 1);
  client.send(make_request({.key = server.key, .id = 8, .argument = 2}));
  pay(debts.take(2), 20);
  CHECK(client.reply().id() == 8);
}

TEST_CASE("the servant is told that its client is gone, and the answer is dropped") {
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  Answer answer;
  {
    RawClient client(server.endpoint);
    client.send(make_request({.key = server.key, .argument = 1}));
    answer = debts.take(1);
  }
  await_stop(stop_token_of(answer));
  pay(std::move(answer), 1);
  RawClient other(server.endpoint);
  other.send(make_request({.key = server.key, .argument = 2}));
  pay(debts.take(2), 20);
  CHECK(other.reply().result() == 20);
}

TEST_CASE("a half-closed connection still carries the deferred reply") {
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  Answer answer = debts.take(1);
  client.end_sending();
  await_stop(stop_token_of(answer));
  pay(std::move(answer), 5);
  CHECK(client.reply().result() == 5);
  CHECK(client.at_end());
}

TEST_CASE("a shutdown without waiting tells the servant, and still sends the deferred reply") {
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  Answer answer = debts.take(1);
  const std::stop_token token = stop_token_of(answer);
  server.orb.core().shutdown(orb::Completion::do_not_wait);
  await_stop(token);
  std::jthread payer([&] { pay(std::move(answer), 9); });
  CHECK(client.reply().result() == 9);
  CHECK(RawReply(client.receive()).type() == type_close_connection);
  CHECK(client.at_end());
}

TEST_CASE("a shutdown that waits does not ask deferred requests to stop") {
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  Answer answer = debts.take(1);
  const std::stop_token token = stop_token_of(answer);
  auto stopped =
      std::async(std::launch::async, [&] { server.orb.core().shutdown(orb::Completion::wait); });
  CHECK(stopped.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  CHECK_FALSE(token.stop_requested());
  pay(std::move(answer), 9);
  CHECK(client.reply().result() == 9);
}

TEST_CASE("a shutdown without waiting tells the servant of a collocated call") {
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  std::uint32_t result = 0;
  std::jthread caller([&] { result = act(server.object, 1); });
  Answer answer = debts.take(1);
  const std::stop_token token = stop_token_of(answer);
  server.orb.core().shutdown(orb::Completion::do_not_wait);
  await_stop(token);
  pay(std::move(answer), 9);
  caller.join();
  CHECK(result == 9);
}

TEST_CASE("the servant of a collocated call is told of an earlier shutdown") {
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  server.orb.core().shutdown(orb::Completion::do_not_wait);
  std::uint32_t result = 0;
  std::jthread caller([&] { result = act(server.object, 1); });
  Answer answer = debts.take(1);
  await_stop(stop_token_of(answer));
  pay(std::move(answer), 9);
  caller.join();
  CHECK(result == 9);
}

TEST_CASE("a shutdown without waiting tells the servant while another shutdown waits") {
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  Answer answer = debts.take(1);
  const std::stop_token token = stop_token_of(answer);
  std::jthread waiting([&] { server.orb.core().shutdown(orb::Completion::wait); });
  while (!server.orb.core().stopping()) std::this_thread::yield();
  server.orb.core().shutdown(orb::Completion::do_not_wait);
  await_stop(token);
  pay(std::move(answer), 9);
  CHECK(client.reply().result() == 9);
}

TEST_CASE("the end of an ORB waits for deferred replies, and a late answer is no error") {
  Debts debts;
  std::jthread payer;
  Answer answer;
  {
    const ServerFixture server(each_strategy(), debts.servant());
    std::optional<RawClient> client(server.endpoint);
    client->send(make_request({.key = server.key, .argument = 1}));
    answer = debts.take(1);
    client.reset();
    await_stop(stop_token_of(answer));
    payer = std::jthread([&answer, core = server.orb.core().weak_from_this()] {
      for (auto known = core.lock(); known && !known->stopping(); known = core.lock())
        std::this_thread::yield();
      pay(std::move(answer), 1);
    });
  }
  payer.join();
}

TEST_CASE("a servant that defers its reply during a shutdown is told at once") {
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

TEST_CASE("a collocated call ends at its time limit, and the servant is told") {
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  const auto hurried = limited(server.object, server.orb.core(), std::chrono::milliseconds(20));
  CHECK_THROWS_AS(act(hurried, 1), CORBA::TIMEOUT);
  Answer answer = debts.take(1);
  await_stop(stop_token_of(answer));
  pay(std::move(answer), 1);
}

TEST_CASE("thousands of requests of one connection have deferred replies") {
  constexpr std::uint32_t count = 10'000;
  Debts debts;
  orb::Settings settings = server_settings(each_strategy());
  settings.requests_per_connection_max = count;
  const ServerFixture server(settings, debts.servant());
  RawClient client(server.endpoint);
  std::jthread sender([&] {
    for (std::uint32_t id = 0; id < count; ++id)
      client.send(make_request({.key = server.key, .id = id, .argument = id}));
  });
  debts.await_count(count);
  sender.join();
  CHECK(server.orb.core().requests_in_progress() == count);
  std::jthread payer([answers = debts.take_all()]() mutable {
    for (auto& [argument, answer] : answers) pay(std::move(answer), argument + 1);
  });
  for (std::uint32_t received = 0; received < count; ++received) {
    const RawReply reply = client.reply();
    CHECK(reply.result() == reply.id() + 1);
  }
}

TEST_CASE("a connection at its limit of deferred replies is drained like other connections") {
  Debts debts;
  orb::Settings settings = server_settings(each_strategy());
  settings.requests_per_connection_max = 2;
  settings.threads = 1;  // no two upcalls at once
  const ServerFixture server(settings, debts.servant());
  RawClient client(server.endpoint);
  for (std::uint32_t id = 0; id < 4; ++id)
    client.send(make_request({.key = server.key, .id = id, .argument = id}));
  debts.await_count(2);
  std::jthread stopper([&] { server.orb.core().shutdown(orb::Completion::wait); });
  const std::jthread payer([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (auto& [argument, answer] : debts.take_all()) pay(std::move(answer), argument + 1);
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

TEST_CASE("a client that does not read its deferred replies is cut off, and others are served") {
  constexpr std::size_t size = 1 << 20;
  Debts debts;
  orb::Settings settings = server_settings(each_strategy());
  settings.send_timeout = std::chrono::milliseconds(100);
  const ServerFixture server(settings, debts.servant());
  RawClient deaf(server.endpoint);
  RawClient other(server.endpoint);
  for (std::uint32_t id = 0; id < 20; ++id)
    deaf.send(make_request({.key = server.key, .id = id, .argument = id}));
  debts.await_count(20);
  std::jthread payer([answers = debts.take_all()]() mutable {
    const std::vector<std::uint8_t> large(size);
    for (auto& [argument, answer] : answers)
      answer.reply([&](cdr::Encoder& encoder) { encoder << large; });
  });
  other.send(make_request({.key = server.key, .argument = 100}));
  pay(debts.take(100), 1);
  CHECK(other.reply().result() == 1);
  payer.join();
  await_condition(
      [&] { return server.orb.core().metrics().server_traffic.totals().connections_open <= 1; });
}

TEST_CASE("a collocated call waits for a deferred reply") {
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  std::jthread payer([&] { pay(debts.take(1), 21); });
  CHECK(act(server.object, 1) == 21);
}

TEST_CASE("an upcall may wait for a deferred reply that another upcall of its server gives") {
  Debts debts;
  CORBA::object_reference<CORBA::Object> owing;
  const ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    request.end_of_arguments();
    // The first upcall calls the other object. The second upcall gives that object's reply.
    const std::uint32_t result = argument == 1 ? act(owing, 5) : 0;
    if (argument == 2) pay(debts.take(5), 55);
    request.reply([result](cdr::Encoder& encoder) { encoder << result; });
  });
  owing = server.orb.root()->servant_to_reference(make_servant(debts.servant()));
  RawClient first(server.endpoint);
  RawClient second(server.endpoint);
  first.send(make_request({.key = server.key, .argument = 1}));
  debts.await_count(1);
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
TEST_CASE("answering through a handler allocates nothing in the steady state") {
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
  REQUIRE(counts.size() >= 199);  // the last reply may arrive before it is counted
  CHECK(counts[198] - counts[100] == 0);
}
#endif

TEST_CASE("a deferred oneway expects a reply only if its scope is the target") {
  Debts debts;
  const ServerFixture server(each_strategy(), debts.servant());
  RawClient client(server.endpoint);
  // Response flags of CORBA 3.0, 15.4.2: none, and WITH_SERVER.
  client.send(make_request({.key = server.key, .id = 1, .response_flags = 0, .argument = 1}));
  Answer dropped = debts.take(1);
  CHECK_FALSE(dropped.expected());
  pay(std::move(dropped), 1);
  client.send(make_request({.key = server.key, .id = 2, .response_flags = 1, .argument = 2}));
  CHECK(client.reply().id() == 2);  // before the servant answers
  Answer arrived = debts.take(2);
  CHECK_FALSE(arrived.expected());
  pay(std::move(arrived), 2);
  // WITH_TARGET
  client.send(make_request({.key = server.key, .id = 3, .response_flags = 3, .argument = 3}));
  pay(debts.take(3), 33);
  CHECK(client.reply().result() == 33);
}
