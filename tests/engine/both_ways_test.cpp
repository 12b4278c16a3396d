// Connection: calls of both sides, what ends them, and what has priority when the peer is slow.
#include "engine/both_ways.h"

#include <chrono>
#include <future>
#include <random>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using engine::Connection;

namespace {

Octets waited(Connection& connection, const Octets& body, engine::CallResult* seen = nullptr,
              Deadline deadline = {}) {
  cdr::Buffer buffer;
  engine::CallResult result = connection.call(
      {1, 2},
      [&](const messaging::Session& session, std::uint32_t id) {
        return &Messages::request(buffer, session, id, body);
      },
      deadline);
  Octets answer;
  if (result.start == StartStatus::started && result.failure == CallFailure::none) {
    messaging::ContextStorage contexts;
    auto reply = connection.session().parse_reply(result.message, contexts);
    REQUIRE(reply);
    const OctetSpan rest = reply->body.read_octets(reply->body.remaining());
    answer.assign(rest.begin(), rest.end());
  }
  if (seen != nullptr) *seen = std::move(result);
  return answer;
}

/// Several threads, one thread for each loop, and a dedicated reader.
std::vector<BothWays::Plan> plans() {
  BothWays::Plan single;
  single.opener_threads = single.acceptor_threads = 1;
  BothWays::Plan dedicated;
  dedicated.acceptor_reading = Connection::Reading::dedicated;
  return {{}, single, dedicated};
}

/// Holds upcalls until it is opened.
struct Gate {
  void wait() { future.wait(); }
  void open() { promise.set_value(); }
  std::promise<void> promise;
  std::shared_future<void> future = promise.get_future().share();
};

}  // namespace

TEST_CASE("both sides call over one connection, and ids tell the sides apart") {
  BothWays ends;
  TestCall there;
  TestCall back;
  CHECK(there.start(*ends.opener, octets_of(10)) == StartStatus::started);
  CHECK(back.start(*ends.acceptor, octets_of(20)) == StartStatus::started);
  CHECK(there.await() == CallFailure::none);
  CHECK(back.await() == CallFailure::none);
  CHECK(there.id % 2 == 0);
  CHECK(back.id % 2 == 1);
  CHECK(there.body() == octets_of(10));
  CHECK(back.body() == octets_of(20));
  CHECK(ends.opener->calls() == 0);
}

TEST_CASE("an opener refuses requests unless the connection serves both sides") {
  BothWays ends;
  ends.opener->agreement().bidirectional.store(false);
  TestCall back;
  CHECK(back.start(*ends.acceptor, octets_of(1)) == StartStatus::started);
  CHECK(back.await() == CallFailure::message_error);
  CHECK(ends.opener_side.handler.requests.load() == 0);
  CHECK(ends.opener_side.handler.malformed.load() == 1);
}

TEST_CASE("a oneway is over when it is sent") {
  BothWays ends;
  TestCall oneway;
  CHECK(oneway.start(*ends.opener, octets_of(1), {}, true) == StartStatus::sent);
  TestCall behind;
  CHECK(behind.start(*ends.opener, octets_of(1)) == StartStatus::started);
  CHECK(behind.await() == CallFailure::none);
  CHECK(ends.acceptor_side.handler.requests.load() == 2);
  CHECK(oneway.ends() == 0);
}

TEST_CASE("a request that cannot be encoded starts nothing") {
  BothWays ends;
  TestCall call;
  const auto nothing = [](const messaging::Session&, std::uint32_t) -> const cdr::Buffer* {
    return nullptr;
  };
  CHECK(ends.opener->start_call(call, nothing) == StartStatus::not_encoded);
  CHECK(ends.opener->calls() == 0);
}

TEST_CASE("more calls than allowed are refused, and the end of one makes room") {
  Gate gate;
  BothWays ends({}, [&](BothWays& made) {
    made.opener_side.settings.requests_in_flight_max = 1;
    made.acceptor_side.handler.on_request = [&](auto&) { gate.wait(); };
  });
  TestCall first;
  TestCall second;
  CHECK(first.start(*ends.opener, octets_of(1)) == StartStatus::started);
  CHECK(second.start(*ends.opener, octets_of(1)) == StartStatus::too_many);
  gate.open();
  CHECK(first.await() == CallFailure::none);
  CHECK(second.start(*ends.opener, octets_of(1)) == StartStatus::started);
  CHECK(second.await() == CallFailure::none);
}

TEST_CASE("a call gets its reply although its upcall calls back over the same connection") {
  for (const BothWays::Plan& plan : plans()) {
    BothWays ends(plan);
    ends.acceptor_side.handler.on_request = [](engine::IncomingRequest& request) {
      if (request.response() == messaging::ResponseFlags::none) return;
      CHECK(waited(request.connection, octets_of(30)) == octets_of(30));
    };
    CHECK(waited(*ends.opener, octets_of(40)) == octets_of(40));
    CHECK(waited(*ends.opener, octets_of(50)) == octets_of(50));
    CHECK(ends.opener_side.handler.requests.load() == 2);
  }
}

TEST_CASE("a oneway upcall that calls over its own connection gets its reply") {
  for (const BothWays::Plan& plan : plans()) {
    BothWays ends(plan);
    std::promise<Octets> answer;
    ends.acceptor_side.handler.on_request = [&](engine::IncomingRequest& request) {
      answer.set_value(waited(request.connection, octets_of(30)));
    };
    TestCall oneway;
    CHECK(oneway.start(*ends.opener, octets_of(1), {}, true) == StartStatus::sent);
    CHECK(answer.get_future().get() == octets_of(30));
  }
}

TEST_CASE("nested calls go back and forth, as deep as the threads allow") {
  for (const BothWays::Plan& plan : plans()) {
    BothWays ends(plan);
    std::atomic<int> depth{0};
    const auto deeper = [&](engine::IncomingRequest& request) {
      if (depth.fetch_add(1) < 8) CHECK(waited(request.connection, octets_of(3)) == octets_of(3));
    };
    ends.acceptor_side.handler.on_request = deeper;
    ends.opener_side.handler.on_request = deeper;
    CHECK(waited(*ends.opener, octets_of(2)) == octets_of(2));
    CHECK(depth.load() == 9);
  }
}

TEST_CASE("a call whose `on_end` blocks delays no other reply") {
  for (const BothWays::Plan& plan : plans()) {
    if (plan.opener_threads == 1) continue;  // its only thread runs the end of the call
    BothWays ends(plan);
    Gate gate;
    TestCall blocks(true);
    blocks.on_end = [&](CallEnd&) { gate.wait(); };
    CHECK(blocks.start(*ends.opener, octets_of(1)) == StartStatus::started);
    TestCall other;
    CHECK(other.start(*ends.opener, octets_of(2)) == StartStatus::started);
    CHECK(other.await() == CallFailure::none);
    gate.open();
    CHECK(blocks.await() == CallFailure::none);
  }
}

TEST_CASE("large messages pass in both directions at once through a narrow transport") {
  for (BothWays::Plan plan : plans()) {
    plan.to_acceptor.capacity = plan.to_opener.capacity = 4096;
    BothWays ends(plan);
    constexpr int count = 6;
    std::vector<std::unique_ptr<TestCall>> calls;
    for (int index = 0; index != count; ++index) {
      const Octets body = octets_of(300'000 + static_cast<std::size_t>(index), index);
      for (Connection* const end : {ends.opener, ends.acceptor}) {
        calls.push_back(std::make_unique<TestCall>());
        CHECK(calls.back()->start(*end, body) == StartStatus::started);
      }
    }
    for (int index = 0; index != 2 * count; ++index) {
      CHECK(calls[static_cast<std::size_t>(index)]->await() == CallFailure::none);
      CHECK(calls[static_cast<std::size_t>(index)]->body() ==
            octets_of(300'000 + static_cast<std::size_t>(index / 2), index / 2));
    }
  }
}

TEST_CASE("a handler that holds requests gets no further request until it admits them") {
  BothWays::Plan single;
  single.opener_threads = single.acceptor_threads = 1;
  BothWays ends(single);
  ends.acceptor_side.handler.on_request = [](engine::IncomingRequest& request) {
    request.connection.hold_requests();
  };
  TestCall first;
  CHECK(first.start(*ends.opener, octets_of(1)) == StartStatus::started);
  CHECK(first.await() == CallFailure::none);
  TestCall second;
  CHECK(second.start(*ends.opener, octets_of(1)) == StartStatus::started);
  std::this_thread::yield();
  CHECK(ends.acceptor_side.handler.requests.load() == 1);
  ends.acceptor->admit_requests();
  CHECK(second.await() == CallFailure::none);
  CHECK(ends.acceptor_side.handler.requests.load() == 2);
}

TEST_CASE("replies are read although the peer takes no requests of this side") {
  BothWays::Plan plan;
  plan.to_acceptor.capacity = 4096;
  BothWays ends(plan);
  TestCall small;
  CHECK(small.start(*ends.opener, octets_of(10)) == StartStatus::started);
  CHECK(small.await() == CallFailure::none);
  Gate gate;
  ends.acceptor_side.handler.on_request = [&](auto&) { gate.wait(); };
  TestCall first;
  CHECK(first.start(*ends.opener, octets_of(10)) == StartStatus::started);
  while (ends.acceptor_side.handler.requests.load() != 2) std::this_thread::yield();
  ends.memory->hold(End::first);
  TestCall blocked;  // most of it waits in the queue
  CHECK(blocked.start(*ends.opener, octets_of(100'000)) == StartStatus::started);
  gate.open();
  CHECK(first.await() == CallFailure::none);
  ends.memory->release(End::first);
  CHECK(blocked.await() == CallFailure::none);
}

namespace {

/// Starts `count` two-way calls with `size` octets each.
std::vector<std::unique_ptr<TestCall>> start_calls(Connection& connection, int count,
                                                   std::size_t size) {
  std::vector<std::unique_ptr<TestCall>> calls;
  for (int index = 0; index != count; ++index) {
    calls.push_back(std::make_unique<TestCall>());
    CHECK(calls.back()->start(connection, octets_of(size, index)) == StartStatus::started);
  }
  return calls;
}

}  // namespace

TEST_CASE("requests that come while the output is blocked are kept, and then refused") {
  BothWays::Plan plan;
  plan.to_acceptor.capacity = 4096;
  plan.opener_threads = 1;  // no other thread writes while it reads
  BothWays ends(plan,
                [](BothWays& made) { made.opener_side.settings.requests_per_connection_max = 3; });
  ends.memory->hold(End::first);
  TestCall blocked;
  CHECK(blocked.start(*ends.opener, octets_of(100'000)) == StartStatus::started);
  const auto calls = start_calls(*ends.acceptor, 8, 5);
  while (ends.opener_side.handler.refused.load() != 4) std::this_thread::yield();
  CHECK(ends.opener_side.handler.requests.load() == 0);
  ends.memory->release(End::first);
  CHECK(blocked.await() == CallFailure::none);
  int answered = 0;
  for (const auto& call : calls) {
    CHECK(call->await() == CallFailure::none);
    if (call->status() == messaging::ReplyStatus::no_exception) ++answered;
  }
  CHECK(answered == 4);
  CHECK(ends.opener_side.handler.requests.load() == 4);
}

TEST_CASE("requests that are kept while the output is blocked count as parked octets") {
  BothWays::Plan plan;
  plan.to_acceptor.capacity = 4096;
  plan.opener_threads = 1;  // no other thread writes while it reads
  plan.opener_parked_size = 1'000'000;
  BothWays ends(plan);
  const Side& side = ends.opener_side;
  ends.memory->hold(End::first);
  TestCall blocked;
  CHECK(blocked.start(*ends.opener, octets_of(100'000)) == StartStatus::started);
  const auto calls = start_calls(*ends.acceptor, 8, 300'000);
  while (side.handler.refused.load() != 4) std::this_thread::yield();  // 3 fit behind the first
  CHECK(side.parked.sum() > 900'000);
  SUBCASE("until they are served") {
    ends.memory->release(End::first);
    CHECK(blocked.await() == CallFailure::none);
    for (const auto& call : calls) CHECK(call->await() == CallFailure::none);
    CHECK(side.handler.requests.load() == 4);
  }
  SUBCASE("until the connection ends") {
    ends.memory->reset(104);
    CHECK(blocked.await() == CallFailure::transfer);
    for (const auto& call : calls) CHECK(call->await() == CallFailure::transfer);
    ends.opener_side.await_no_connection();
  }
  CHECK(side.parked.sum() == 0);
}

TEST_CASE("an upcall can call back over its connection while ordered requests wait") {
  for (const BothWays::Plan& plan : plans()) {
    constexpr std::size_t count = 100;
    BothWays ends(plan, [](BothWays& made) {
      made.acceptor_side.settings.request_order = engine::RequestOrder::connection;
    });
    std::atomic<int> running{0};
    std::vector<std::size_t> sizes;  // written by one upcall at a time
    ends.acceptor_side.handler.on_request = [&](engine::IncomingRequest&) {
      CHECK(running.fetch_add(1) == 0);
      CHECK(waited(*ends.acceptor, octets_of(30)) == octets_of(30));
      sizes.push_back(sizes.size());
      running.fetch_sub(1);
    };
    std::vector<std::unique_ptr<TestCall>> calls;
    std::vector<std::size_t> ended;
    std::mutex mutex;
    for (std::size_t index = 0; index != count; ++index) {
      calls.push_back(std::make_unique<TestCall>());
      calls.back()->on_end = [&, index](CallEnd&) {
        const std::lock_guard lock(mutex);
        ended.push_back(index);
      };
      CHECK(calls.back()->start(*ends.opener, octets_of(8)) == StartStatus::started);
    }
    for (const auto& call : calls) CHECK(call->await() == CallFailure::none);
    CHECK(sizes.size() == count);
    CHECK(ended == sizes);
  }
}

TEST_CASE("a parked request counts until it is admitted, so no later request overtakes it") {
  BothWays::Plan plan;
  plan.acceptor_threads = 1;  // dispatches the parked request, while the dedicated reader reads
  plan.acceptor_reading = Connection::Reading::dedicated;
  BothWays ends(plan, [](BothWays& made) {
    made.acceptor_side.settings.request_order = engine::RequestOrder::connection;
  });
  TestCall first;
  TestCall second;
  std::promise<void> parked;
  std::vector<std::uint32_t> ids;  // written by one upcall at a time
  bool was_parked = false;
  int looks = 0;
  Echo& handler = ends.acceptor_side.handler;
  handler.takes = [&](engine::IncomingRequest& request) {
    if (std::exchange(was_parked, true)) return false;
    CHECK(request.connection.park(request, nullptr));
    parked.set_value();
    return true;
  };
  handler.on_hold_point = [&] {
    ++looks;
    if (looks > 1) return;
    const std::size_t read = ends.memory->received(End::first);
    CHECK(second.start(*ends.opener, octets_of(20)) == StartStatus::started);
    while (ends.memory->received(End::first) == read) std::this_thread::yield();
  };
  handler.on_request = [&](engine::IncomingRequest& request) { ids.push_back(request.id()); };
  first.on_end = [&](CallEnd&) { CHECK(second.ends() == 0); };
  CHECK(first.start(*ends.opener, octets_of(10)) == StartStatus::started);
  parked.get_future().wait();
  ends.acceptor_side.home.resume_parked();
  CHECK(first.await() == CallFailure::none);
  REQUIRE(looks == 1);  // the request was still parked when it was dispatched again
  CHECK(second.await() == CallFailure::none);
  CHECK(ids == std::vector{first.id, second.id});
}

TEST_CASE("a dedicated reader that keeps a request does not wait for the peer") {
  BothWays::Plan plan;
  plan.acceptor_reading = Connection::Reading::dedicated;
  BothWays ends(
      plan, [](BothWays& made) { made.acceptor_side.settings.requests_per_connection_max = 1; });
  std::optional<Later> later;
  TestCall deferred;
  TestCall kept;
  TestCall back;
  Gate gate;
  std::promise<void> started;
  Echo& handler = ends.acceptor_side.handler;
  handler.takes = [&](engine::IncomingRequest& request) {
    if (later) return false;
    later.emplace(request);
    return true;
  };
  handler.on_full = [&] {  // after the reader looked at this side's calls, before it reads again
    CHECK(back.start(*ends.acceptor, octets_of(5)) == StartStatus::started);
    started.set_value();
  };
  ends.opener_side.handler.on_request = [&](engine::IncomingRequest&) { gate.wait(); };
  CHECK(deferred.start(*ends.opener, octets_of(10)) == StartStatus::started);
  CHECK(kept.start(*ends.opener, octets_of(20)) == StartStatus::started);
  started.get_future().wait();
  later->reply();
  CHECK(deferred.await() == CallFailure::none);
  CHECK(kept.await() == CallFailure::none);  // although the peer has not answered `back` yet
  CHECK(back.ends() == 0);
  gate.open();
  CHECK(back.await() == CallFailure::none);
}

TEST_CASE("the time of a call passes, and the late reply is dropped") {
  Gate gate;
  BothWays ends;
  ends.acceptor_side.handler.on_request = [&](auto&) { gate.wait(); };
  TestCall late;
  const auto soon = Deadline::after(std::chrono::milliseconds(5), steady_clock().now());
  CHECK(late.start(*ends.opener, octets_of(1), soon) == StartStatus::started);
  CHECK(late.await() == CallFailure::deadline);
  CHECK(!late.not_executed());
  gate.open();
  TestCall next;
  CHECK(next.start(*ends.opener, octets_of(1)) == StartStatus::started);
  CHECK(next.await() == CallFailure::none);
  CHECK(late.ends() == 1);
}

TEST_CASE("of two calls, the one with the earlier limit ends first") {
  Gate gate;
  BothWays ends;
  ends.acceptor_side.handler.on_request = [&](auto&) { gate.wait(); };
  TestCall later;
  TestCall sooner;
  const TimePoint now = steady_clock().now();
  CHECK(later.start(*ends.opener, octets_of(1), Deadline::after(std::chrono::hours(1), now)) ==
        StartStatus::started);
  CHECK(sooner.start(*ends.opener, octets_of(1),
                     Deadline::after(std::chrono::milliseconds(1), now)) == StartStatus::started);
  CHECK(sooner.await() == CallFailure::deadline);
  CHECK(later.ends() == 0);
  ends.opener->limit_call(later, Deadline::immediately());
  CHECK(later.await() == CallFailure::deadline);
  gate.open();
}

TEST_CASE("a thread waits no longer than its deadline") {
  for (const BothWays::Plan& plan : plans()) {
    Gate gate;
    BothWays ends(plan);
    ends.acceptor_side.handler.on_request = [&](auto&) { gate.wait(); };
    engine::CallResult result;
    (void)waited(*ends.opener, octets_of(1), &result,
                 Deadline::after(std::chrono::milliseconds(5), steady_clock().now()));
    CHECK(result.failure == CallFailure::deadline);
    CHECK(result.request_accepted);
    gate.open();
  }
}

TEST_CASE("a withdrawn call does not call its observer, and cancels the request at the peer") {
  Gate gate;
  std::atomic<bool> cancelled{false};
  BothWays ends;
  std::promise<void> seen;
  ends.acceptor_side.handler.on_request = [&](engine::IncomingRequest& request) {
    seen.set_value();
    while (!request.cancelled()) std::this_thread::yield();
    cancelled.store(true);
    gate.wait();
  };
  TestCall call;
  CHECK(call.start(*ends.opener, octets_of(1)) == StartStatus::started);
  seen.get_future().wait();
  bool accepted = false;
  CHECK(ends.opener->withdraw_call(call, accepted));
  CHECK(accepted);
  CHECK(!ends.opener->withdraw_call(call, accepted));
  while (!cancelled.load()) std::this_thread::yield();
  gate.open();
  CHECK(call.ends() == 0);
}

TEST_CASE("a request that still waits in the queue is withdrawn as a whole") {
  BothWays::Plan plan;
  plan.to_acceptor.capacity = 4096;
  BothWays ends(plan);
  ends.memory->hold(End::first);
  TestCall blocked;
  CHECK(blocked.start(*ends.opener, octets_of(100'000)) == StartStatus::started);
  TestCall behind;
  CHECK(behind.start(*ends.opener, octets_of(10)) == StartStatus::started);
  bool accepted = true;
  CHECK(ends.opener->withdraw_call(behind, accepted));
  CHECK(!accepted);
  ends.memory->release(End::first);
  CHECK(blocked.await() == CallFailure::none);
  CHECK(ends.acceptor_side.handler.requests.load() == 1);
}

TEST_CASE("CloseConnection says that calls in flight were not executed") {
  BothWays ends;
  Gate gate;
  ends.opener_side.handler.on_request = [&](auto&) { gate.wait(); };
  TestCall back;  // keeps the acceptor from closing
  CHECK(back.start(*ends.acceptor, octets_of(1)) == StartStatus::started);
  ends.acceptor->drain();
  TestCall there;  // not admitted any more
  CHECK(there.start(*ends.opener, octets_of(1)) == StartStatus::started);
  gate.open();
  CHECK(back.await() == CallFailure::none);
  CHECK(there.await() == CallFailure::closed_by_peer);
  CHECK(there.not_executed());
  TestCall after;
  CHECK(after.start(*ends.opener, octets_of(1)) == StartStatus::closed);
  CHECK(ends.acceptor_side.handler.requests.load() == 0);
}

TEST_CASE("an opener closes when its calls are over") {
  BothWays ends;
  Gate gate;
  ends.acceptor_side.handler.on_request = [&](auto&) { gate.wait(); };
  TestCall call;
  CHECK(call.start(*ends.opener, octets_of(1)) == StartStatus::started);
  ends.opener->drain();
  TestCall refused;
  CHECK(refused.start(*ends.opener, octets_of(1)) == StartStatus::closed);
  gate.open();
  CHECK(call.await() == CallFailure::none);
  ends.opener_side.await_no_connection();
  ends.acceptor_side.await_no_connection();
}

TEST_CASE("a peer that never replies does not delay the end of a draining connection") {
  Gate gate;
  BothWays ends({}, [](BothWays& made) {
    made.opener_side.settings.drain_timeout = std::chrono::milliseconds(20);
  });
  ends.acceptor_side.handler.on_request = [&](auto&) { gate.wait(); };
  TestCall call;
  CHECK(call.start(*ends.opener, octets_of(1)) == StartStatus::started);
  ends.opener->drain();
  CHECK(call.await() == CallFailure::transfer);
  CHECK(!call.not_executed());
  gate.open();
}

TEST_CASE("a lost connection ends the calls of both sides once") {
  for (const BothWays::Plan& plan : plans()) {
    Gate gate;
    BothWays ends(plan);
    ends.acceptor_side.handler.on_request = [&](auto&) { gate.wait(); };
    std::vector<std::unique_ptr<TestCall>> calls;
    for (int index = 0; index != 5; ++index) {
      calls.push_back(std::make_unique<TestCall>());
      CHECK(calls.back()->start(*ends.opener, octets_of(1)) == StartStatus::started);
    }
    ends.opener->cut();
    for (const auto& call : calls) {
      CHECK(call->await() == CallFailure::transfer);
      CHECK(!call->not_executed());
    }
    gate.open();
  }
}

TEST_CASE("the first fragment of a reply says that the request was executed") {
  MemoryPair pair = make_memory_pair();
  Side side;
  Connection& opener = side.connect(std::move(pair.first), Role::opener);
  TestCall begun;
  TestCall other;
  CHECK(begun.start(opener, octets_of(1)) == StartStatus::started);
  CHECK(other.start(opener, octets_of(1)) == StartStatus::started);
  const auto session = giop_messages().open(Role::acceptor, {});
  cdr::Buffer reply;
  Messages::reply(reply, *session, begun.id, octets_of(104));
  Octets octets(reply.own_octets().begin(), reply.own_octets().end());
  octets[6] |= std::byte{2};  // fragments follow
  const OctetSpan piece = octets;
  CHECK(pair.second->send({&piece, 1}, transport::Wait::yes).ok());
  cdr::Buffer close;
  cdr::Encoder encoder(close);
  session->encode_close_connection(encoder, {1, 2});
  const OctetSpan closing = close.own_octets();
  CHECK(pair.second->send({&closing, 1}, transport::Wait::yes).ok());
  CHECK(begun.await() == CallFailure::reply_cut);
  CHECK(!begun.not_executed());
  CHECK(other.await() == CallFailure::closed_by_peer);
  CHECK(other.not_executed());
  opener.drop_reference();
}

// One of the loop's two threads is in an upcall. So the other thread keeps the read role.
TEST_CASE("a connection stays in the poller while there is no place for a dedicated reader") {
  Gate entered;
  Gate leave;
  TestCall blocked;
  MemoryPair pair = make_memory_pair();
  MemoryPair other = make_memory_pair();
  Side opener_side;
  Side acceptor_side(2);
  const auto accept = [&](MemoryPair& made, Connection::Reading reading) {
    auto* const acceptor = new Connection(
        acceptor_side.home, {std::move(made.second), &giop_messages()}, reading, Role::acceptor);
    REQUIRE(acceptor->start());
    acceptor->drop_reference();
  };
  std::atomic<bool> first{true};
  acceptor_side.handler.on_request = [&](auto&) {
    if (!first.exchange(false)) return;
    entered.open();
    leave.wait();
  };
  accept(other, Connection::Reading::on_loop);
  accept(pair, Connection::Reading::dedicated);
  Connection& busy = opener_side.connect(std::move(other.first), Role::opener);
  Connection& opener = opener_side.connect(std::move(pair.first), Role::opener);
  REQUIRE(blocked.start(busy, octets_of(1)) == StartStatus::started);
  entered.wait();
  constexpr int enough_upcalls = 1100;  // for a connection that asks for a reader
  for (int count = 0; count < enough_upcalls; ++count) {
    TestCall call;
    REQUIRE(call.start(opener, octets_of(1)) == StartStatus::started);
    CHECK(call.await() == CallFailure::none);
  }
  CHECK(acceptor_side.dedicates.load() == 0);
  leave.open();
  CHECK(blocked.await() == CallFailure::none);
  busy.drop_reference();
  opener.drop_reference();
}

TEST_CASE("an idle connection with a call in flight stays open") {
  for (bool started = false; !started;) {  // a delayed thread may find the connection closed
    Gate gate;
    BothWays ends({}, [](BothWays& made) {
      made.opener_side.settings.client_idle_timeout = std::chrono::milliseconds(5);
    });
    ends.acceptor_side.handler.on_request = [&](auto&) { gate.wait(); };
    TestCall call;
    started = call.start(*ends.opener, octets_of(1)) == StartStatus::started;
    if (!started) continue;
    TestCall limit;  // so that time passes
    const auto later = Deadline::after(std::chrono::milliseconds(50), steady_clock().now());
    CHECK(limit.start(*ends.opener, octets_of(1), later) == StartStatus::started);
    CHECK(limit.await() == CallFailure::deadline);
    gate.open();
    CHECK(call.await() == CallFailure::none);
    ends.opener_side.await_no_connection();  // idle now
  }
}

TEST_CASE("a call that starts after an idle close is refused, and nothing is sent") {
  for (const bool oneway : {false, true}) {
    CAPTURE(oneway);
    BothWays ends({}, [](BothWays& made) {
      made.opener_side.settings.client_idle_timeout = std::chrono::milliseconds(5);
    });
    TestCall call;
    call.expects_reply = !oneway;
    cdr::Buffer buffer;
    const auto encode = [&](const messaging::Session& session, std::uint32_t id) {
      while (!ends.opener->ending()) std::this_thread::yield();
      return &Messages::request(buffer, session, id, octets_of(1), oneway);
    };
    CHECK(ends.opener->start_call(call, encode) == StartStatus::closed);
    ends.acceptor_side.await_no_connection();
    CHECK(ends.acceptor_side.handler.requests.load() == 0);
    CHECK(call.ends() == 0);
  }
}

TEST_CASE("a peer calls back within a call that keeps an idle connection open") {
  for (StartStatus status = StartStatus::closed; status == StartStatus::closed;) {
    Gate gate;
    std::atomic<int> called_back{0};
    TestCall call;
    TestCall limit;  // so that time passes
    BothWays ends({}, [](BothWays& made) {
      made.opener_side.settings.client_idle_timeout = std::chrono::milliseconds(5);
    });
    ends.acceptor_side.handler.on_request = [&](engine::IncomingRequest& request) {
      const auto later = Deadline::after(std::chrono::milliseconds(50), steady_clock().now());
      CHECK(limit.start(request.connection, octets_of(1), later) == StartStatus::started);
      CHECK(limit.await() == CallFailure::deadline);
      CHECK(waited(request.connection, octets_of(30)) == octets_of(30));
    };
    ends.opener_side.handler.on_request = [&](auto&) {
      if (called_back.fetch_add(1) == 0) gate.wait();  // the call with the limit
    };
    status = call.start(*ends.opener, octets_of(40));
    if (status == StartStatus::started) CHECK(call.await() == CallFailure::none);
    gate.open();
  }
}

TEST_CASE("a connection that carries callbacks is not closed as idle by either side") {
  constexpr std::chrono::milliseconds limit{5};
  BothWays ends({}, [limit](BothWays& made) {
    made.opener_side.settings.client_idle_timeout = limit;
    made.acceptor_side.settings.idle_timeout = limit;
  });
  for (Connection* const end : {&*ends.opener, &*ends.acceptor})
    end->agreement().carries_callbacks.store(true);
  if (ends.opener->ending()) return;  // this thread was delayed
  const auto over = Deadline::after(10 * limit, steady_clock().now());
  while (!over.passed(steady_clock().now())) std::this_thread::yield();
  CHECK_FALSE(ends.opener->ending());
  CHECK_FALSE(ends.acceptor->ending());
}

// The flag of the idle close and the start of a call meet at any moment.
TEST_CASE("calls that start when their connection becomes idle are executed, or refused unsent") {
  constexpr std::chrono::milliseconds limit{1};
  std::mt19937 random(1);  // NOLINT: the same pauses every time
  int kept = 0;
  for (int round = 0; round != 100; ++round) {
    CAPTURE(round);
    BothWays ends({}, [limit](BothWays& made) {
      made.opener_side.settings.client_idle_timeout = limit;
      made.acceptor_side.handler.on_request = [](engine::IncomingRequest& request) {
        if (request.response() == messaging::ResponseFlags::none) return;
        CHECK(waited(request.connection, octets_of(30)) == octets_of(30));
      };
    });
    const std::chrono::microseconds pause(random() % 2500);
    const auto start = Deadline::after(pause, steady_clock().now());
    while (!start.passed(steady_clock().now())) std::this_thread::yield();
    TestCall call;
    const bool oneway = round % 2 == 1;
    const StartStatus status = call.start(*ends.opener, octets_of(1), {}, oneway);
    const bool sent = status == StartStatus::started || status == StartStatus::sent;
    CHECK((sent || status == StartStatus::closed));
    if (status == StartStatus::started) CHECK(call.await() == CallFailure::none);
    ends.acceptor_side.await_no_connection();
    CHECK(ends.acceptor_side.handler.requests.load() == (sent ? 1 : 0));
    kept += sent ? 1 : 0;
  }
  MESSAGE(kept << " of 100 calls were in time");
}

// Threads start, withdraw and await calls on both sides, and the transport splits the messages.
// Meanwhile, in three of four rounds, the connection is lost, or one side drains it.
TEST_CASE("each call ends once, whatever the mixture of calls") {
  for (std::uint32_t seed = 0; seed != 12; ++seed) {
    BothWays::Plan plan = plans()[seed % 3];
    plan.to_acceptor = {.capacity = 2000 + 500 * seed, .receive_size_max = 700};
    plan.to_opener = {.capacity = 9000 - 500 * seed, .receive_size_max = 900};
    BothWays ends(plan);
    std::atomic<int> wrong{0};
    const auto work = [&](std::uint32_t number) {
      std::mt19937 random(seed * 10 + number);
      Connection& end = number % 2 == 0 ? *ends.opener : *ends.acceptor;
      for (int round = 0; round != 60; ++round) {
        const Octets body = octets_of(random() % 5000, round);
        const std::uint32_t kind = random() % 8;
        if (kind == 0) {
          engine::CallResult result;
          const Octets answer = waited(end, body, &result);
          if (result.failure == CallFailure::none && result.start == StartStatus::started)
            if (answer != body) wrong.fetch_add(1);
          continue;
        }
        TestCall call(kind == 1);
        const auto limit = kind == 2 ? Deadline::after(std::chrono::microseconds(random() % 2000),
                                                       steady_clock().now())
                                     : Deadline::never();
        const StartStatus status = call.start(end, body, limit, kind == 3);
        if (status != StartStatus::started) continue;
        bool accepted = false;
        if (kind == 4 && end.withdraw_call(call, accepted)) {
          if (call.ends() != 0) wrong.fetch_add(1);
          continue;
        }
        if (call.await() == CallFailure::none && call.body() != body) wrong.fetch_add(1);
      }
    };
    std::vector<std::thread> threads;
    for (std::uint32_t number = 0; number != 4; ++number) threads.emplace_back(work, number);
    if (seed % 4 == 1) ends.memory->reset(104);
    if (seed % 4 == 2) ends.acceptor->drain();
    if (seed % 4 == 3) ends.opener->drain();
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong.load() == 0);
    CHECK(ends.opener->calls() == 0);
    CHECK(ends.acceptor->calls() == 0);
  }
}
