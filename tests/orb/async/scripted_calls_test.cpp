// The reactions of asynchronous calls to their peers, which are those of synchronous calls.
// Asynchronous calls can also overtake each other and be cancelled.
#include "orb/async/observers.h"
#include "orb/fixture.h"
#include "orb/policies.h"
#include "support/fake_clock.h"
#include <perigee/iop/components.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace perigee::test {

namespace {

using stub::CallHandle;

CallHandle send_ping(const ObjectRef& object, Observed& observed) {
  return stub::send(*object, ping_operation, {}, observed);
}

/// Keeps requests until the test answers them. For any thread.
class Kept {
 public:
  struct Request {
    ScriptedTransport* transport;
    std::uint32_t id;
  };

  [[nodiscard]] OnMessage peer() {
    return [this](ScriptedTransport& transport, const IncomingMessage& message) {
      const std::lock_guard lock(mutex_);
      if (message.kind == messaging::MessageKind::cancel_request)
        return cancelled_.push_back(giop_session().parse_cancel_request(message).value());
      messaging::ContextStorage contexts;
      const auto request = giop_session().parse_request(message, contexts);
      requests_.push_back({&transport, request->header.request_id});
    };
  }
  [[nodiscard]] std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return requests_.size();
  }
  [[nodiscard]] Request request(std::size_t index) const {
    const std::lock_guard lock(mutex_);
    return requests_.at(index);
  }
  [[nodiscard]] std::vector<std::uint32_t> cancelled() const {
    const std::lock_guard lock(mutex_);
    return cancelled_;
  }
  void answer(std::size_t index, std::uint32_t value) const {
    const Request answered = request(index);
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    giop_session().begin_reply(encoder, {1, 2}, {.request_id = answered.id},
                               messaging::Body::present);
    encoder.write(value);
    giop_session().finish(encoder);
    answered.transport->deliver(buffer);
  }

 private:
  mutable std::mutex mutex_;
  std::deque<Request> requests_;
  std::vector<std::uint32_t> cancelled_;
};

}  // namespace

TEST_CASE("an asynchronous call goes out, and its reply reaches the observer") {
  Fixture fixture;
  fixture.peer("a", reply_with_long(42));
  Observed observed;
  const CallHandle call = send_ping(fixture.object({"a"}), observed);
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(observed.value() == 42);
  CHECK(!observed.failed());
  CHECK(call.ended());
}

TEST_CASE("replies may come in any order") {
  Fixture fixture;
  Kept kept;
  fixture.peer("a", kept.peer());
  const ObjectRef object = fixture.object({"a"});
  Observed observed[3];
  for (Observed& each : observed) (void)send_ping(object, each);
  drive(fixture.core(), [&] { return kept.count() == 3; });
  kept.answer(2, 2);
  drive(fixture.core(), [&] { return observed[2].done(); });
  CHECK(!observed[0].done());
  kept.answer(0, 0);
  kept.answer(1, 1);
  drive(fixture.core(), [&] { return observed[0].done() && observed[1].done(); });
  for (std::uint32_t i = 0; i < 3; ++i) CHECK(observed[i].value() == i);
}

TEST_CASE("calls that are started within a turn are sent together at its end") {
  Fixture fixture;
  fixture.peer("a", reply_with_nothing());
  const ObjectRef object = fixture.object({"a"});
  Observed later[10];
  Observed first([&] {
    for (Observed& each : later) (void)send_ping(object, each);
  });
  (void)send_ping(object, first);
  drive(fixture.core(), [&] {
    for (const Observed& each : later)
      if (!each.done()) return false;
    return true;
  });
  CHECK(fixture.counts("a").sends == 2);
}

TEST_CASE("a call that the server has not executed goes to the next target") {
  Fixture fixture;
  fixture.protocol().add("a", Script{.refuse = true});
  fixture.peer("b", [](ScriptedTransport& transport, const IncomingMessage&) {
    send_close_connection(transport);
  });
  fixture.peer("c", reply_with_long(3));
  Observed observed;
  (void)send_ping(fixture.object({"a", "b", "c"}), observed);
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(observed.value() == 3);
}

TEST_CASE("a call whose reply is cut by CloseConnection may have been executed") {
  Fixture fixture;
  fixture.peer("a", [](ScriptedTransport& transport, const IncomingMessage& message) {
    send_first_fragment(transport, message);
    send_close_connection(transport);
  });
  Observed observed;
  (void)send_ping(fixture.object({"a"}), observed);
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(observed.failure<CORBA::COMM_FAILURE>().completed() == CORBA::COMPLETED_MAYBE);
}

TEST_CASE("a call follows forwards") {
  Fixture fixture;
  fixture.peer("a", fixture.forward_to(fixture.ior({"b"})));
  fixture.peer("b", reply_with_long(7));
  Observed observed;
  (void)send_ping(fixture.object({"a"}), observed);
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(observed.value() == 7);
}

TEST_CASE("calls on a lost connection fail like synchronous calls: MAYBE if they were sent") {
  Fixture fixture;
  fixture.peer("a",
               [](ScriptedTransport& transport, const IncomingMessage&) { transport.reset(); });
  Observed observed;
  (void)send_ping(fixture.object({"a"}), observed);
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(observed.failure<CORBA::COMM_FAILURE>().completed() == CORBA::COMPLETED_MAYBE);
}

TEST_CASE("a request that was sent only in part goes to the next target") {
  Fixture fixture;
  fixture.protocol().add("a", Script{.accepts_max = 10});
  fixture.peer("b", reply_with_long(5));
  Observed observed;
  (void)send_ping(fixture.object({"a", "b"}), observed);
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(observed.value() == 5);
}

TEST_CASE("a call without any target fails, but not before send has returned") {
  Fixture fixture;
  Observed observed;
  const CallHandle call =
      send_ping(fixture.core().make_object({"IDL:Test:1.0", {{4711, {}}}}), observed);
  CHECK(!observed.done());
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(observed.failure<CORBA::TRANSIENT>().completed() == CORBA::COMPLETED_NO);
}

TEST_CASE("exceptions of the server reach the observer") {
  Fixture fixture;
  fixture.peer(
      "a", reply_with_exception("IDL:omg.org/CORBA/NO_PERMISSION:1.0", 9, CORBA::COMPLETED_YES));
  Observed observed;
  (void)send_ping(fixture.object({"a"}), observed);
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(observed.failure<CORBA::NO_PERMISSION>().minor() == 9);
}

TEST_CASE("results that do not decode raise MARSHAL, COMPLETED_YES") {
  Fixture fixture;
  fixture.peer("a", reply_with(ReplyStatus::no_exception,
                               [](cdr::Encoder& encoder) { encoder.write(std::uint8_t{1}); }));
  Observed observed;
  (void)send_ping(fixture.object({"a"}), observed);
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(observed.failure<CORBA::MARSHAL>().completed() == CORBA::COMPLETED_YES);
}

TEST_CASE("arguments that cannot be encoded fail only their own call") {
  Fixture fixture;
  fixture.peer("a", reply_with_nothing());
  const ObjectRef object = fixture.object({"a"});
  Observed bad;
  Observed good;
  (void)stub::send(*object, ping_operation,
                   {[](cdr::Encoder& encoder) { encoder.fail(cdr::ErrorKind::bad_value); }}, bad);
  (void)send_ping(object, good);
  drive(fixture.core(), [&] { return bad.done() && good.done(); });
  CHECK(bad.failure<CORBA::MARSHAL>().completed() == CORBA::COMPLETED_NO);
  CHECK(!good.failed());
}

TEST_CASE("the observer and the server are told of a cancelled call; a late reply is dropped") {
  Fixture fixture;
  Kept kept;
  fixture.peer("a", kept.peer());
  const ObjectRef object = fixture.object({"a"});
  Observed cancelled;
  Observed other;
  CallHandle call = send_ping(object, cancelled);
  (void)send_ping(object, other);
  drive(fixture.core(), [&] { return kept.count() == 2; });
  call.cancel();
  CHECK(!cancelled.done());
  drive(fixture.core(), [&] { return cancelled.done(); });
  const auto failure = cancelled.failure<CORBA::NO_RESPONSE>();
  CHECK(failure.completed() == CORBA::COMPLETED_MAYBE);
  CHECK(failure.minor() == orb::minor_cancelled);
  REQUIRE(kept.cancelled().size() == 1);
  CHECK(kept.cancelled().front() == kept.request(0).id);
  kept.answer(0, 1);
  kept.answer(1, 2);
  drive(fixture.core(), [&] { return other.done(); });
  CHECK(other.value() == 2);
  CHECK(cancelled.times() == 1);
  call.cancel();  // too late: does nothing
}

TEST_CASE("a call that is cancelled while its request is partly sent may be executed") {
  Fixture fixture;
  Kept kept;
  fixture.peer("a", kept.peer());
  const ObjectRef object = fixture.object({"a"});
  Observed first;
  (void)send_ping(object, first);
  drive(fixture.core(), [&] { return kept.count() == 1; });
  kept.answer(0, 1);
  drive(fixture.core(), [&] { return first.done(); });
  ScriptedTransport& transport = *kept.request(0).transport;
  transport.block_after(10);
  Observed cut;
  CallHandle call = send_ping(object, cut);
  call.cancel();
  drive(fixture.core(), [&] { return cut.done(); });
  CHECK(kept.count() == 1);
  CHECK(cut.failure<CORBA::NO_RESPONSE>().completed() == CORBA::COMPLETED_MAYBE);
  transport.unblock();
  drive(fixture.core(), [&] { return !kept.cancelled().empty(); });
  CHECK(kept.count() == 2);  // the rest of the request and the cancel request were sent
  CHECK(kept.cancelled().front() == kept.request(1).id);
}

TEST_CASE("the observer of a oneway whose send failed is told once, although it is cancelled") {
  Fixture fixture;
  fixture.protocol().add("a", Script{.accepts_max = 10});
  fixture.peer("a", reply_with_long(5));
  const TransportCounts& counts = fixture.counts("a");
  const ObjectRef object = fixture.object({"a"});
  Observed cut;
  CallHandle call = stub::send(*object, notify_operation, {}, cut);
  while (counts.sends == 0) std::this_thread::yield();
  call.cancel();
  drive(fixture.core(), [&] { return cut.done(); });
  CHECK(cut.text().contains("COMPLETED_NO"));
  Observed next;
  (void)send_ping(object, next);
  drive(fixture.core(), [&] { return next.done(); });
  CHECK(next.value() == 5);
  CHECK(cut.times() == 1);
}

TEST_CASE("duplicate replies disturb no call") {
  Fixture fixture;
  Kept kept;
  fixture.peer("a", kept.peer());
  const ObjectRef object = fixture.object({"a"});
  Observed observed[2];
  (void)send_ping(object, observed[0]);
  drive(fixture.core(), [&] { return kept.count() == 1; });
  kept.answer(0, 1);
  kept.answer(0, 2);
  kept.answer(0, 3);
  drive(fixture.core(), [&] { return observed[0].done(); });
  (void)send_ping(object, observed[1]);
  drive(fixture.core(), [&] { return kept.count() == 2; });
  kept.answer(0, 4);
  kept.answer(1, 5);
  drive(fixture.core(), [&] { return observed[1].done(); });
  CHECK(observed[0].value() == 1);
  CHECK(observed[0].times() == 1);
  CHECK(observed[1].value() == 5);
  CHECK(fixture.counts("a").connects == 1);
}

TEST_CASE("if a peer dies with 10,000 calls in flight, each observer is told once: MAYBE") {
  Fixture fixture;
  Kept kept;
  fixture.peer("a", kept.peer());
  const ObjectRef object = fixture.object({"a"});
  std::vector<Observed> observed(10'000);
  for (Observed& each : observed) (void)send_ping(object, each);
  drive(fixture.core(), [&] { return kept.count() == observed.size(); });
  for (std::size_t index = 0; index < 5'000; ++index)
    kept.answer(index, static_cast<std::uint32_t>(index));
  SUBCASE("by a reset") { kept.request(0).transport->reset(); }
  SUBCASE("by an end") { kept.request(0).transport->end_of_stream(); }
  drive(fixture.core(), [&] {
    return std::ranges::all_of(observed, [](const Observed& each) { return each.done(); });
  });
  std::size_t wrong = 0;
  for (std::size_t index = 0; index < observed.size(); ++index) {
    const Observed& each = observed[index];
    const bool answered = !each.failed() && each.value() == index;
    const bool right = index < 5'000
                           ? answered
                           : each.failed() && each.failure<CORBA::COMM_FAILURE>().completed() ==
                                                  CORBA::COMPLETED_MAYBE;
    if (!right || each.times() != 1) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a call that is cancelled before it was sent is not sent") {
  Fixture fixture;
  fixture.peer("a", reply_with_nothing());
  const ObjectRef object = fixture.object({"a"});
  Observed second;
  Observed first([&] {
    CallHandle call = send_ping(object, second);
    call.cancel();
  });
  (void)send_ping(object, first);
  drive(fixture.core(), [&] { return second.done(); });
  CHECK(second.failure<CORBA::NO_RESPONSE>().completed() == CORBA::COMPLETED_NO);
  CHECK(fixture.counts("a").sends == 1);
}

TEST_CASE("a time limit ends a call with TIMEOUT, and tells the server") {
  FakeClock clock;
  Fixture fixture({}, clock);
  Kept kept;
  fixture.peer("a", kept.peer());
  const ObjectRef object =
      limited(fixture.object({"a"}), fixture.core(), std::chrono::milliseconds(100));
  Observed observed;
  (void)send_ping(object, observed);
  drive(fixture.core(), [&] { return kept.count() == 1; });
  clock.advance(std::chrono::milliseconds(99));
  work(fixture.core());
  CHECK(!observed.done());
  clock.advance(std::chrono::milliseconds(1));
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(observed.failure<CORBA::TIMEOUT>().completed() == CORBA::COMPLETED_MAYBE);
  CHECK(kept.cancelled().size() == 1);
}

TEST_CASE("a request carries the remaining time of its caller; a oneway does not") {
  FakeClock clock;
  Fixture fixture({}, clock);
  std::vector<std::optional<std::uint64_t>> told;
  fixture.peer("a", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    messaging::ContextStorage contexts;
    const auto request = giop_session().parse_request(message, contexts);
    const auto found = std::ranges::find(contexts, 0x50474501u, &iop::ServiceContext::id);
    told.push_back(found == contexts.end() ? std::nullopt
                                           : iop::decode_remaining_time(found->data));
    if (request->header.response != messaging::ResponseFlags::none)
      send_reply(transport, message, messaging::ReplyStatus::no_exception,
                 [](cdr::Encoder& encoder) { encoder.write(std::uint32_t{1}); });
  });
  const ObjectRef plain = fixture.object({"a"});
  const ObjectRef object = limited(plain, fixture.core(), std::chrono::milliseconds(100));
  Observed observed[2];
  Observed notified;
  (void)send_ping(object, observed[0]);
  drive(fixture.core(), [&] { return observed[0].done(); });
  ping(object);  // a synchronous call
  (void)stub::send(*object, notify_operation, {}, notified);
  drive(fixture.core(), [&] { return notified.done(); });
  (void)send_ping(plain, observed[1]);
  drive(fixture.core(), [&] { return observed[1].done(); });
  const std::optional<std::uint64_t> all = 100'000;
  CHECK(told == std::vector<std::optional<std::uint64_t>>{all, all, std::nullopt, std::nullopt});
}

TEST_CASE("calls on a new connection end with TIMEOUT if the peer never replies") {
  FakeClock clock;
  Fixture fixture({}, clock);
  Kept kept;
  fixture.peer("a", kept.peer());
  Observed observed;
  (void)send_ping(fixture.object({"a"}), observed);
  drive(fixture.core(), [&] { return kept.count() == 1; });
  clock.advance(std::chrono::seconds(31));
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(observed.failure<CORBA::TIMEOUT>().minor() == orb::minor_mute_peer);
}

TEST_CASE("a new connection ends if its peer does not answer the oldest call in flight") {
  FakeClock clock;
  Fixture fixture({}, clock);
  Kept kept;
  fixture.peer("a", kept.peer());
  const ObjectRef object = fixture.object({"a"});
  Observed cancelled;
  CallHandle first = send_ping(object, cancelled);
  drive(fixture.core(), [&] { return kept.count() == 1; });
  clock.advance(std::chrono::seconds(20));
  first.cancel();
  Observed observed;
  (void)send_ping(object, observed);
  drive(fixture.core(), [&] { return kept.count() == 2 && cancelled.done(); });
  const auto pass = [&](std::chrono::seconds time) {
    clock.advance(time);
    work(fixture.core());
  };
  pass(std::chrono::seconds(29));
  CHECK(!observed.done());
  pass(std::chrono::seconds(2));
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(observed.failure<CORBA::TIMEOUT>().minor() == orb::minor_mute_peer);
}

namespace {

/// A peer "a" that lets clients connect when the test says so.
struct SlowToConnect {
  explicit SlowToConnect(orb::Settings settings = {}, bool times_out = false)
      : fixture(settings, clock) {
    fixture.protocol().add("a", Script{.times_out = times_out,
                                       .on_connect =
                                           [this] {
                                             begun = true;
                                             opened.get_future().wait();
                                           },
                                       .on_message = reply_with_nothing()});
    object = fixture.object({"a"});
    hasty = object->_set_policy_overrides(
        {connection_timeout(fixture.core(), std::chrono::milliseconds(100))}, SET_OVERRIDE);
  }
  void await_begin() const {
    while (!begun) std::this_thread::yield();
  }
  void pass(std::chrono::milliseconds time) {
    clock.advance(time);
    work(fixture.core());
  }

  FakeClock clock;
  std::atomic<bool> begun = false;
  std::promise<void> opened;
  Fixture fixture;
  ObjectRef object;
  ObjectRef hasty;  ///< the same object, with a connect time-out of 100 ms
};

}  // namespace

TEST_CASE("calls that wait for the same connection each have their own time-out") {
  SlowToConnect peer;
  Observed patient;
  Observed hasty;
  (void)send_ping(peer.object, patient);
  (void)send_ping(peer.hasty, hasty);
  peer.await_begin();
  peer.pass(std::chrono::milliseconds(101));
  CHECK(!patient.done());
  REQUIRE(hasty.done());
  CHECK(hasty.failure<CORBA::TRANSIENT>().minor() == orb::minor_no_usable_profile);
  peer.opened.set_value();
  drive(peer.fixture.core(), [&] { return patient.done(); });
  CHECK(!patient.failed());
}

TEST_CASE("a call connects anew if another call has given up the connection attempt") {
  SlowToConnect peer({}, true);
  peer.fixture.peer("a", reply_with_nothing());
  Observed hasty;
  Observed patient;
  (void)send_ping(peer.hasty, hasty);
  (void)send_ping(peer.object, patient);
  peer.await_begin();
  peer.pass(std::chrono::milliseconds(101));
  peer.opened.set_value();
  drive(peer.fixture.core(), [&] { return patient.done() && hasty.done(); });
  CHECK(hasty.failure<CORBA::TRANSIENT>().completed() == CORBA::COMPLETED_NO);
  CHECK_MESSAGE(!patient.failed(), patient.text());
  CHECK(peer.fixture.counts("a").connects == 2);
}

TEST_CASE("a call fails with TRANSIENT if no connecting thread is free before its time-out") {
  orb::Settings settings;
  settings.connecting_threads_max = 1;
  SlowToConnect peer(settings);
  peer.fixture.peer("b", reply_with_nothing());
  Observed first;
  (void)send_ping(peer.object, first);
  peer.await_begin();
  Observed second;
  (void)send_ping(peer.fixture.object({"b"}), second);
  peer.pass(settings.connect_timeout + std::chrono::milliseconds(1));
  REQUIRE(second.done());
  CAPTURE(second.text());
  CHECK(second.text().contains("-ORBConnectingThreadsMax"));
  CHECK(second.failure<CORBA::TRANSIENT>().completed() == CORBA::COMPLETED_NO);
  peer.opened.set_value();
  drive(peer.fixture.core(), [&] { return first.done(); });
}

TEST_CASE("calls of one thread are sent in order, before and after the connect") {
  constexpr std::size_t count = 400;
  Fixture fixture;
  Kept kept;
  std::promise<void> begun;
  std::promise<void> opened;
  fixture.protocol().add("a", Script{.on_connect =
                                         [&] {
                                           begun.set_value();
                                           opened.get_future().wait();
                                         },
                                     .on_message = kept.peer()});
  const ObjectRef object = fixture.object({"a"});
  std::vector<Observed> observed(count);
  (void)send_ping(object, observed[0]);
  begun.get_future().wait();
  for (std::size_t index = 1; index != count / 2; ++index) (void)send_ping(object, observed[index]);
  opened.set_value();  // the rest begins while the connecting thread sends the calls that waited
  for (std::size_t index = count / 2; index != count; ++index)
    (void)send_ping(object, observed[index]);
  drive(fixture.core(), [&] { return kept.count() == count; });
  for (std::size_t index = 0; index != count; ++index)
    kept.answer(index, static_cast<std::uint32_t>(index));
  drive(fixture.core(), [&] { return std::ranges::all_of(observed, &Observed::done); });
  for (std::size_t index = 0; index != count; ++index) {
    CAPTURE(index);
    CHECK(observed[index].value() == index);
  }
}

TEST_CASE("calls above the limit of calls in flight are refused, and the other calls go on") {
  orb::Settings settings;
  settings.requests_in_flight_max = 2;
  settings.connections_per_endpoint_max = 2;
  Fixture fixture(settings);
  Kept kept;
  fixture.peer("a", kept.peer());
  const ObjectRef object = fixture.object({"a"});
  Observed observed[5];
  for (Observed& each : observed) (void)send_ping(object, each);
  // The connections open one after the other: any of the calls may find both full.
  const auto is_done = [](const Observed& each) { return each.done(); };
  drive(fixture.core(),
        [&] { return kept.count() == 4 && std::ranges::count_if(observed, is_done) == 1; });
  CHECK(fixture.counts("a").connects == 2);
  Observed& refused = *std::ranges::find_if(observed, is_done);
  const auto failure = refused.failure<CORBA::TRANSIENT>();
  CHECK(failure.minor() == orb::minor_too_many_calls);
  CHECK(failure.completed() == CORBA::COMPLETED_NO);
  for (std::size_t i = 0; i < 4; ++i) kept.answer(i, 1);
  drive(fixture.core(), [&] { return std::ranges::count_if(observed, is_done) == 5; });
  for (Observed& each : observed) CHECK(each.failed() == (&each == &refused));
}

TEST_CASE("the octets that wait while a connection is made are limited") {
  orb::Settings settings;
  settings.write_queue_size_max = 10'000;
  Fixture fixture(settings);
  std::promise<void> refused;
  fixture.protocol().add("a", Script{.on_connect = [&] { refused.get_future().wait(); },
                                     .on_message = reply_with_nothing()});
  const ObjectRef object = fixture.object({"a"});
  const auto send_large = [&](Observed& observed) {
    (void)stub::send(*object, ping_operation,
                     {[](cdr::Encoder& encoder) { encoder.write_octets(Octets(6'000)); }},
                     observed);
  };
  Observed first;
  Observed second;
  send_large(first);
  send_large(second);
  drive(fixture.core(), [&] { return second.done(); });
  CHECK(second.failure<CORBA::TRANSIENT>().completed() == CORBA::COMPLETED_NO);
  refused.set_value();
  drive(fixture.core(), [&] { return first.done(); });
  CHECK(!first.failed());
}

TEST_CASE("a request larger than the write queue is sent if no request waits before it") {
  orb::Settings settings;
  settings.write_queue_size_max = 10'000;
  Fixture fixture(settings);
  std::promise<void> refused;
  fixture.protocol().add("a", Script{.on_connect = [&] { refused.get_future().wait(); },
                                     .on_message = reply_with_nothing()});
  const ObjectRef object = fixture.object({"a"});
  Observed large;
  Observed behind;
  (void)stub::send(*object, ping_operation,
                   {[held = Octets(12'000)](cdr::Encoder& encoder) { encoder.write_octets(held); }},
                   large);
  (void)send_ping(object, behind);
  drive(fixture.core(), [&] { return behind.done(); });
  CHECK(behind.failure<CORBA::TRANSIENT>().completed() == CORBA::COMPLETED_NO);
  refused.set_value();
  drive(fixture.core(), [&] { return large.done(); });
  CHECK_MESSAGE(!large.failed(), large.text());
}

TEST_CASE("a request that is not copied waits if earlier requests are partly sent") {
  orb::Settings settings;
  settings.write_queue_size_max = 10'000;
  Fixture fixture(settings);
  Kept kept;
  fixture.peer("a", kept.peer());
  const ObjectRef object = fixture.object({"a"});
  Observed small[2];
  Observed large;
  Observed first([&] {
    kept.request(0).transport->block_after(10);
    for (Observed& each : small) (void)send_ping(object, each);
    (void)stub::send(
        *object, ping_operation,
        {[held = Octets(12'000)](cdr::Encoder& encoder) { encoder.write_octets(held); }}, large);
  });
  (void)send_ping(object, first);
  drive(fixture.core(), [&] { return kept.count() == 1; });
  kept.answer(0, 0);
  drive(fixture.core(), [&] { return first.done() && fixture.counts("a").sends > 1; });
  kept.request(0).transport->unblock();
  drive(fixture.core(), [&] { return kept.count() == 4 || large.done(); });
  REQUIRE_MESSAGE(kept.count() == 4, large.text());
  for (std::size_t i = 1; i < 4; ++i) kept.answer(i, 1);
  drive(fixture.core(), [&] { return small[0].done() && small[1].done() && large.done(); });
  CHECK_MESSAGE(!large.failed(), large.text());
  CHECK(fixture.counts("a").connects == 1);
}

TEST_CASE("a call whose arguments cannot be allocated fails, and other calls do not") {
  Fixture fixture;
  std::promise<void> connect;
  fixture.protocol().add("a", Script{.on_connect = [&] { connect.get_future().wait(); },
                                     .on_message = reply_with_long(1)});
  const ObjectRef object = fixture.object({"a"});
  const auto send_bad = [&](Observed& observed) {
    (void)stub::send(*object, ping_operation, {[](cdr::Encoder&) { throw std::bad_alloc(); }},
                     observed);
  };
  Observed bad[3];
  Observed good[3];
  (void)send_ping(object, good[0]);
  send_bad(bad[0]);  // while the connection is made
  connect.set_value();
  drive(fixture.core(), [&] { return good[0].done() && bad[0].done(); });
  Observed in_turn([&] {
    (void)send_ping(object, good[1]);
    send_bad(bad[1]);
  });
  (void)send_ping(object, in_turn);
  drive(fixture.core(), [&] { return good[1].done() && bad[1].done(); });
  send_bad(bad[2]);
  (void)send_ping(object, good[2]);
  drive(fixture.core(), [&] { return good[2].done() && bad[2].done(); });
  for (const Observed& each : good) CHECK_MESSAGE(!each.failed(), each.text());
  for (const Observed& each : bad)
    CHECK(each.failure<CORBA::NO_MEMORY>().completed() == CORBA::COMPLETED_NO);
  CHECK(fixture.counts("a").connects == 1);
}

TEST_CASE("the observer of a oneway is told when the oneway is sent") {
  Fixture fixture;
  Kept kept;
  fixture.peer("a", kept.peer());
  Observed observed;
  (void)stub::send(*fixture.object({"a"}), notify_operation, {}, observed);
  drive(fixture.core(), [&] { return observed.done(); });
  CHECK(!observed.failed());
  CHECK(kept.count() == 1);
}

TEST_CASE("calls that are outstanding when the shutdown is complete end with BAD_INV_ORDER") {
  Fixture fixture;
  Kept kept;
  fixture.peer("a", kept.peer());
  const ObjectRef object = fixture.object({"a"});
  Observed observed;
  const CallHandle call = send_ping(object, observed);
  drive(fixture.core(), [&] { return kept.count() == 1; });
  fixture.core().shutdown(orb::Completion::wait);
  CHECK(call.ended());
  const auto failure = observed.failure<CORBA::BAD_INV_ORDER>();
  CHECK(failure.minor() == orb::minor_shut_down);
  CHECK(failure.completed() == CORBA::COMPLETED_MAYBE);
  Observed late;
  CHECK_THROWS_AS((void)send_ping(object, late), CORBA::BAD_INV_ORDER);
  CHECK(!late.done());
}

TEST_CASE("an observer can make a synchronous call, then wait for an asynchronous call") {
  Fixture fixture;
  fixture.peer("a", reply_with_long(1));
  const ObjectRef object = fixture.object({"a"});
  std::int32_t echoed = 0;
  Observed inner;
  Observed outer([&] {
    echoed = echo(object);
    CallHandle call = send_ping(object, inner);
    call.wait();
  });
  (void)send_ping(object, outer);
  drive(fixture.core(), [&] { return outer.done() && inner.done(); });
  CHECK(echoed == 1);
  CHECK(inner.value() == 1);
}

}  // namespace perigee::test
