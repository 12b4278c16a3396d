// Every allocation of a call fails, one after the other, on either side. The call ends with
// NO_MEMORY or with the loss of its connection, nothing hangs, and the next call succeeds. (The
// build with the address sanitizer looks for leaks.)
#include "event/thread_scope.h"
#include "faults/two_orbs.h"
#include "orb/context/orb_metrics.h"
#include "support/allocations.h"
#include "support/odd_acceptor.h"
#include "support/reader.h"
#include <perigee/poa/answer.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <new>
#include <semaphore>
#include <set>
#include <thread>

namespace perigee::test {
namespace {

// With such small fragments, requests with `data` need memory in every part of the code.
const messaging::Limits in_fragments{.fragment_size = 1024};
const std::vector<std::uint8_t> data(5000, 7);

enum class Result : std::uint8_t { answered, no_memory, not_sent, connection_lost };

/// Passes on exceptions that no call should raise.
Result call(const ObjectRef& object, std::uint32_t number) {
  try {
    const bool right = call_act(object, number, data);
    CHECK(right);
    return Result::answered;
  } catch (const CORBA::NO_MEMORY& failure) {
    return failure.completed() == CORBA::COMPLETED_NO ? Result::not_sent : Result::no_memory;
  } catch (const CORBA::COMM_FAILURE& failure) {
    return failure.completed() == CORBA::COMPLETED_NO ? Result::not_sent : Result::connection_lost;
  }
}

TEST_CASE("a client whose n-th allocation fails gets NO_MEMORY, and its next call is answered") {
  LedgerServer server(server_settings(each_strategy()), {}, in_fragments);
  std::uint32_t number = 0;
  std::size_t failures = 0;
  for (std::size_t allocation = 1;; ++allocation) {
    CAPTURE(allocation);
    const FaultyClient client({}, in_fragments);
    const ObjectRef object = client.object(server.ior());
    fail_allocation(allocation);
    const Result result = call(object, ++number);
    const bool failed = stop_failing_allocation();
    if (!failed) break;
    ++failures;
    if (result == Result::not_sent) CHECK(server.ledger().executions(number) == 0);
    if (result == Result::answered) CHECK(server.ledger().executions(number) == 1);
    CHECK(call(object, ++number) == Result::answered);
  }
  CHECK(failures > 10);
}

TEST_CASE("a client goes on calling after any allocation of a call on a used connection failed") {
  LedgerServer server(server_settings(each_strategy()), {}, in_fragments);
  std::uint32_t number = 0;
  for (std::size_t allocation = 1;; ++allocation) {
    CAPTURE(allocation);
    const FaultyClient client({}, in_fragments);
    const ObjectRef object = client.object(server.ior());
    CHECK(call(object, ++number) == Result::answered);
    fail_allocation(allocation);
    (void)call(object, ++number);
    if (!stop_failing_allocation()) break;
    CHECK(call(object, ++number) == Result::answered);
  }
  server.stop();
  for (std::uint32_t each = 1; each <= number; ++each) CHECK(server.ledger().executions(each) <= 1);
}

TEST_CASE("a reader without memory for a message throws bad_alloc and keeps the message") {
  const auto protocol = giop::make_giop({});
  const auto reader = make_reader(*protocol);
  const Octets request = make_request({.argument = 1});
  const Octets both = request + request;
  Octets scratch(64 * 1024);
  std::ranges::copy(both, reader->receive_space(scratch).begin());
  reader->received(both.size());
  messaging::IncomingMessage message;
  REQUIRE(reader->next(message) == Next::message);
  reader->detach();
  fail_allocation(1);
  CHECK_THROWS_AS((void)reader->next(message), std::bad_alloc);
  CHECK(stop_failing_allocation());
  REQUIRE(reader->next(message) == Next::message);
  CHECK(std::ranges::equal(message.octets, request));
}

TEST_CASE("a server whose n-th allocation fails after an upcall goes on serving") {
  std::atomic<std::size_t> next{0};
  orb::Settings settings = server_settings(each_strategy());
  settings.threads = 1;  // otherwise the failing thread may wait while others serve
  LedgerServer server(settings, {}, in_fragments);
  server.before_reply = [&next] { fail_allocation(next.exchange(0)); };
  std::uint32_t number = 0;
  std::size_t failures = 0;
  for (std::size_t allocation = 1; allocation <= 40; ++allocation) {
    CAPTURE(allocation);
    const FaultyClient client({}, in_fragments);
    const ObjectRef object = client.object(server.ior());
    next = allocation;
    const Result first = call(object, ++number);   // arms the failure; its reply may fail
    const Result second = call(object, ++number);  // may fail in being read, executed, answered
    failures += first != Result::answered || second != Result::answered ? 1 : 0;
    CHECK(call(object, ++number) != Result::not_sent);
    CHECK(call(object, ++number) == Result::answered);
  }
  CHECK(failures > 5);
  server.stop();
  for (std::uint32_t each = 1; each <= number; ++each) CHECK(server.ledger().executions(each) <= 1);
}

/// Waits until a new client is served. Its first connections may end for lack of memory.
void await_service(const ServerFixture& server) {
  const Octets request = make_request({.key = server.key, .argument = 5000});
  for (;;) {
    RawClient client(server.endpoint);
    if (client.try_send(request) && !client.receive().empty()) return;
  }
}

/// Waits until the server has no connections.
void await_no_connections(const ServerFixture& server) {
  const auto& traffic = server.orb.core().metrics().server_traffic;
  while (traffic.totals().connections_open != 0) std::this_thread::yield();
}

TEST_CASE("a server without any memory for a while goes on accepting afterwards") {
  std::atomic<int> calls{0};
  const auto fails = [&calls] {
    const bool first = calls.fetch_add(1) == 0;
    if (first)
      fail_allocation(1, std::numeric_limits<std::size_t>::max());
    else
      (void)stop_failing_allocation();
    return first;
  };
  orb::Settings settings = server_settings(each_strategy());
  settings.threads = 1;  // the same thread loses memory and gets it back
  settings.accept_retry_delay = std::chrono::milliseconds(1);
  const ServerFixture server(
      TestParts{.settings = settings, .protocol = make_flaky_protocol(fails)});
  await_service(server);
  CHECK(calls > 1);
}

TEST_CASE("a thread scope keeps the handles of ended threads if a new thread gets no memory") {
  event::ThreadScope scope;
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> ran = false;
    scope.start([&ran] { ran = true; });
    while (!ran) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // its handle is most likely listed
    for (std::size_t allocation = 1; allocation <= 3; ++allocation) {
      fail_allocation(allocation);
      try {
        scope.start([] {});
      } catch (const std::bad_alloc&) {
      }
      (void)stop_failing_allocation();
    }
  }
  scope.join_all();
}

TEST_CASE("pipelined requests are not executed twice, whichever allocation fails") {
  constexpr std::uint32_t count = 20;
  std::size_t next = 0;
  std::array<std::atomic<int>, count> executed{};
  // Replies that are held back, and too large for the pooled blocks: each copy is an allocation.
  const std::string result(6000, 'r');
  const orb::ThreadStrategy strategy = each_strategy();
  const ServerFixture server(strategy, [&](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    if (argument >= count) return;
    ++executed[argument];
    request.reply([&](cdr::Encoder& encoder) { encoder.write_string(result); });
    if (argument == 0) fail_allocation(next);
  });
  int lost = 0;
  for (next = 1; next <= 20; ++next) {
    CAPTURE(next);
    RawClient client(server.endpoint);
    Octets batch;
    for (std::uint32_t id = 0; id < count; ++id)
      batch = batch + make_request({.key = server.key, .id = id, .argument = id});
    (void)client.try_send(batch);
    client.end_sending();
    std::set<std::uint32_t> answered;
    for (Octets reply = client.receive(); !reply.empty(); reply = client.receive())
      CHECK(answered.insert(RawReply(reply).id()).second);
    await_service(server);
    await_no_connections(server);
    for (auto& each : executed) CHECK(each.exchange(0) <= 1);
    lost += answered.size() < count ? 1 : 0;
  }
  // Servers with several threads a loop hold no replies back, so that they allocate nothing here.
  const bool holds_back = strategy == orb::ThreadStrategy::reactive ||
                          strategy == orb::ThreadStrategy::reactor_per_core;
  CHECK((lost > 0 || !holds_back));
}

// A turn serves only some requests of a connection. The others are in the buffer into which the
// thread receives from all connections, until they are copied. If the copy fails, requests of
// another client may overwrite them.
TEST_CASE("a request is executed for its own client only, whichever allocation fails") {
  enum : std::uint32_t { deferred = 1, failing, counted, blocking };
  orb::Settings settings = server_settings(each_strategy());
  settings.threads = 1;
  settings.messages_per_turn_max = 2;
  std::size_t next = 0;
  std::atomic<int> executed{0};
  std::binary_semaphore entered{0};
  std::binary_semaphore go_on{0};
  std::binary_semaphore is_kept{0};
  skeleton::Answer kept;
  const ServerFixture server(settings, [&](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    (void)stop_failing_allocation();  // of the round before
    if (argument == deferred) {
      kept = skeleton::Answer(request);
      return is_kept.release();
    }
    if (argument == counted) ++executed;
    if (argument == blocking) {
      entered.release();
      go_on.acquire();
    }
    request.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{0}; });
    if (argument == failing) fail_allocation(next);
  });
  const auto make = [&](std::uint32_t id, std::uint32_t argument) {
    return make_request({.key = server.key, .id = id, .argument = argument});
  };
  for (next = 1; next <= 8; ++next) {
    CAPTURE(next);
    await_service(server);
    RawClient first(server.endpoint);
    RawClient second(server.endpoint);
    RawClient third(server.endpoint);
    for (RawClient* const client : {&first, &second})
      (void)client->call({.key = server.key, .argument = 0});
    third.send(make(1, blocking));
    entered.acquire();
    first.send(make(1, deferred) + make(2, failing) + make(3, 0));
    second.send(make(1, 0) + make(2, 0) + make(3, counted));
    go_on.release();
    is_kept.acquire();
    second.end_sending();
    while (!second.receive().empty()) {
    }
    kept = skeleton::Answer();
    first.end_sending();
    third.end_sending();
    await_no_connections(server);
    CHECK(executed.exchange(0) <= 1);
  }
}

TEST_CASE(
    "a client that does not read its reply is disconnected, whichever allocation fails then") {
  orb::Settings settings = server_settings(each_strategy());
  settings.threads = 1;
  settings.send_timeout = std::chrono::milliseconds(10);
  const std::vector<std::uint8_t> result(20'000'000);
  std::size_t next = 0;
  const ServerFixture server(settings, [&](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    if (argument != 1) return;
    fail_allocation(next);
    request.reply([&result](cdr::Encoder& encoder) { encoder << result; });
  });
  for (next = 1; next <= 20; ++next) {
    CAPTURE(next);
    await_service(server);
    RawClient mute(server.endpoint);
    mute.send(make_request({.key = server.key, .argument = 1}));
    const Octets head = mute.receive_part(20);
    if (!head.empty() && RawReply(head).status() != 0) continue;  // NO_MEMORY, and nothing more
    await_no_connections(server);
  }
}

}  // namespace
}  // namespace perigee::test
