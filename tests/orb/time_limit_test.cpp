// RelativeRoundtripTimeoutPolicy: what a call does when its time has passed, and what it leaves
// behind. The scripted transport "times out" at once where it would wait, so that nothing sleeps:
// the calls read the clock until their limit of a millisecond is over.
#include "orb/client/endpoint_table.h"
#include "orb/fixture.h"
#include "orb/policies.h"
#include "support/fake_clock.h"

#include <doctest/doctest.h>

#include <future>
#include <thread>

namespace perigee::test {

namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::uint32_t minor_deadline = CORBA::PERIGEE_VMCID | 8;

orb::Settings one_connection() {
  orb::Settings settings;
  settings.connections_per_endpoint_max = 1;
  settings.first_reply_timeout = {};  // the peers of these tests are slow
  return settings;
}

// A reply that the peer sends later. The transport lives as long as the fixture.
class LatePeer {
 public:
  OnMessage on_message() {
    return [this](ScriptedTransport& transport, const IncomingMessage& message) {
      auto copy = std::make_shared<IncomingMessage>();
      copy->kind = message.kind;
      copy->version = message.version;
      copy->order = message.order;
      copy->octets = message.octets;
      copy->header_size = message.header_size;
      copy->keep();
      answers_.push_back([&transport, copy, value = static_cast<std::int32_t>(answers_.size())] {
        send_reply(transport, *copy, ReplyStatus::no_exception,
                   [value](cdr::Encoder& encoder) { encoder.write(value); });
      });
      if (answers_.size() == answer_all_at_)
        for (const auto& answer : answers_) answer();
      transport_ = &transport;
      ++arrived_;
      arrived_.notify_all();
    };
  }
  void answer_all_at(std::size_t requests) { answer_all_at_ = requests; }
  void answer(std::size_t request) { answers_[request](); }
  void await_request(int count) {
    for (int seen = arrived_; seen < count; seen = arrived_) arrived_.wait(seen);
  }
  /// The first caller waits for its reply.
  void await_reader() {
    await_request(1);
    transport_->await_receive();
  }

 private:
  ScriptedTransport* transport_ = nullptr;
  std::size_t answer_all_at_ = 0;
  std::vector<std::function<void()>> answers_;
  std::atomic<int> arrived_{0};
};

// A busy machine sends a request within this time. After that the request may have been executed.
constexpr milliseconds time_to_send{300};

void check_timeout(const ObjectRef& object, CORBA::CompletionStatus completed) {
  const auto exception = caught<CORBA::TIMEOUT>([&] { ping(object); });
  CHECK(exception.minor() == minor_deadline);
  CHECK(exception.completed() == completed);
}

}  // namespace

TEST_CASE("no reply in time raises TIMEOUT, COMPLETED_MAYBE, and the text names policy and peer") {
  Fixture fixture;
  fixture.peer("peer", {});
  const auto object = limited(fixture.object({"peer"}), fixture.core(), time_to_send);
  const auto exception = caught<CORBA::TIMEOUT>([&] { ping(object); });
  CHECK(exception.minor() == minor_deadline);
  CHECK(exception.completed() == CORBA::COMPLETED_MAYBE);
  CHECK(exception.detail().find("RelativeRoundtripTimeoutPolicy") != std::string::npos);
  CHECK(exception.detail().find("test://peer") != std::string::npos);
}

TEST_CASE("the time limit may be a policy of the thread or of the ORB") {
  Fixture fixture;
  fixture.peer("peer", {});
  const auto object = fixture.object({"peer"});
  const auto limit = roundtrip(fixture.core(), time_to_send);
  policy_manager(fixture.core())->set_policy_overrides({limit}, SET_OVERRIDE);
  check_timeout(object, CORBA::COMPLETED_MAYBE);
  policy_manager(fixture.core())->set_policy_overrides({}, SET_OVERRIDE);
  policy_current(fixture.core())->set_policy_overrides({limit}, SET_OVERRIDE);
  check_timeout(object, CORBA::COMPLETED_MAYBE);
}

TEST_CASE("-ORBCallTimeout limits calls without a policy, and a policy has precedence") {
  orb::Settings settings;
  settings.call_timeout = time_to_send;
  Fixture fixture(settings);
  fixture.peer("peer", {});
  const auto object = fixture.object({"peer"});
  check_timeout(object, CORBA::COMPLETED_MAYBE);
  policy_manager(fixture.core())
      ->set_policy_overrides({roundtrip(fixture.core(), milliseconds(1))}, SET_OVERRIDE);
  CHECK_THROWS_AS(ping(object), CORBA::TIMEOUT);
  policy_manager(fixture.core())->set_policy_overrides({}, SET_OVERRIDE);
  check_timeout(object, CORBA::COMPLETED_MAYBE);
}

TEST_CASE("a late reply is dropped, and the next call on the connection gets its own") {
  Fixture fixture(one_connection());
  LatePeer peer;
  peer.answer_all_at(2);
  fixture.peer("peer", peer.on_message());
  const auto object = fixture.object({"peer"});
  check_timeout(limited(object, fixture.core(), time_to_send), CORBA::COMPLETED_MAYBE);
  CHECK(echo(object) == 1);  // the reply to request 0 came before
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("a reply that arrived only in part before the time-out does not begin the next reply") {
  Fixture fixture(one_connection());
  ScriptedTransport* connection = nullptr;
  Octets late;
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    if (connection != nullptr) {
      transport.deliver(late);
      return send_reply(transport, message, ReplyStatus::no_exception,
                        [](cdr::Encoder& encoder) { encoder.write(std::int32_t{9}); });
    }
    connection = &transport;
    messaging::ContextStorage contexts;
    const auto request = giop_session().parse_request(message, contexts);
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    giop_session().begin_reply(encoder, message.version,
                               messaging::ReplyHeader{.request_id = request->header.request_id},
                               messaging::Body::empty);
    giop_session().finish(encoder);
    late = buffer.flatten();
    constexpr std::ptrdiff_t first_part = 15;
    transport.deliver({late.data(), first_part});
    late.erase(late.begin(), late.begin() + first_part);
  });
  const auto object = fixture.object({"peer"});
  check_timeout(limited(object, fixture.core(), time_to_send), CORBA::COMPLETED_MAYBE);
  CHECK(echo(object) == 9);
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("if the time of a call passes while it connects, it ends with COMPLETED_NO, unsent") {
  FakeClock clock;
  Fixture fixture({}, clock);
  const auto take_time = [&clock] { clock.advance(milliseconds(2)); };
  fixture.protocol().add("slow", {.on_connect = take_time});
  fixture.protocol().add("refusing", {.refuse = true, .on_connect = take_time});
  fixture.peer("second", reply_with_nothing());
  const auto slow = limited(fixture.object({"slow"}), fixture.core(), milliseconds(1));
  check_timeout(slow, CORBA::COMPLETED_NO);
  CHECK(fixture.counts("slow").sends == 0);
  const auto two = limited(fixture.object({"refusing", "second"}), fixture.core(), milliseconds(1));
  check_timeout(two, CORBA::COMPLETED_NO);
  CHECK(fixture.counts("second").connects == 0);
}

TEST_CASE("a call is in time as long as the ORB's clock says so") {
  FakeClock clock;
  Fixture fixture({}, clock);
  bool late = false;
  fixture.protocol().add("peer", {.on_connect = [&] { clock.advance(milliseconds(late ? 2 : 1)); },
                                  .on_message = reply_with_long(3)});
  const auto object = limited(fixture.object({"peer"}), fixture.core(), milliseconds(2));
  CHECK(echo(object) == 3);
  late = true;
  fixture.core().endpoints().close_all();
  check_timeout(object, CORBA::COMPLETED_NO);
}

TEST_CASE(
    "a call changes the transport's time-outs only if its limit differs from the last limit") {
  Fixture fixture(one_connection());
  fixture.peer("peer", reply_with_long(1));
  const auto object = fixture.object({"peer"});
  const auto with_limit = limited(object, fixture.core(), minutes(1));
  const auto& set = fixture.counts("peer").timeouts_set;
  for (int call = 0; call < 10; ++call) CHECK(echo(object) == 1);
  CHECK(set == 0);
  for (int call = 0; call < 10; ++call) CHECK(echo(with_limit) == 1);
  CHECK(set == 2);  // for sending and for receiving
  for (int call = 0; call < 10; ++call) CHECK(echo(object) == 1);
  CHECK(set == 4);  // the former time-outs are set again
}

TEST_CASE("a limit of zero, or beyond the range of the clock, does not limit") {
  Fixture fixture(one_connection());
  fixture.peer("peer", reply_with_long(1));
  const auto object = fixture.object({"peer"});
  policy_manager(fixture.core())
      ->set_policy_overrides({roundtrip(fixture.core(), minutes(1))}, SET_OVERRIDE);
  CHECK(echo(limited(object, fixture.core(), {})) == 1);
  const auto longest = make_policy(fixture.core(), RELATIVE_RT_TIMEOUT_POLICY_TYPE,
                                   std::numeric_limits<TimeBase::TimeT>::max());
  CHECK(echo(object->_set_policy_overrides({longest}, SET_OVERRIDE)) == 1);
  CHECK(fixture.counts("peer").timeouts_set == 0);
}

TEST_CASE("a peer that never replies is detected before the call's time is over") {
  Fixture fixture;  // with the time-out of first replies
  fixture.peer("peer", {});
  const auto object = limited(fixture.object({"peer"}), fixture.core(), minutes(60));
  CHECK(caught<CORBA::TIMEOUT>([&] { ping(object); }).minor() == (CORBA::PERIGEE_VMCID | 2));
}

TEST_CASE("after a call has timed out, a new connection's first reply is still awaited in time") {
  Fixture fixture;
  fixture.peer("peer", {});
  const auto object = fixture.object({"peer"});
  check_timeout(limited(object, fixture.core(), time_to_send), CORBA::COMPLETED_MAYBE);
  CHECK(caught<CORBA::TIMEOUT>([&] { ping(object); }).minor() == (CORBA::PERIGEE_VMCID | 2));
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("a caller that times out on a shared connection does not disturb the reader") {
  Fixture fixture(one_connection());
  LatePeer peer;
  fixture.peer("peer", peer.on_message());
  const auto object = fixture.object({"peer"});
  std::future<std::int32_t> reader = std::async(std::launch::async, [&] { return echo(object); });
  peer.await_reader();  // the reader has left its send, so no message is queued behind it
  check_timeout(limited(object, fixture.core(), time_to_send), CORBA::COMPLETED_MAYBE);
  peer.answer(1);  // late: dropped by the reader
  peer.answer(0);
  CHECK(reader.get() == 0);
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("a reader that times out passes the read role on") {
  Fixture fixture(one_connection());
  LatePeer peer;
  fixture.peer("peer", peer.on_message());
  const auto object = fixture.object({"peer"});
  const auto with_limit = limited(object, fixture.core(), time_to_send);
  std::future<void> reader =
      std::async(std::launch::async, [&] { check_timeout(with_limit, CORBA::COMPLETED_MAYBE); });
  peer.await_request(1);
  std::future<std::int32_t> other = std::async(std::launch::async, [&] { return echo(object); });
  peer.await_request(2);
  reader.get();
  peer.answer(0);
  peer.answer(1);
  CHECK(other.get() == 1);
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("a request that waits behind another request is never sent after its time limit") {
  Fixture fixture(one_connection());
  std::promise<void> inside;
  std::promise<void> release;
  std::atomic<int> executed{0};
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    if (++executed == 1) {
      inside.set_value();
      release.get_future().wait();
    }
    send_reply(transport, message, ReplyStatus::no_exception,
               [](cdr::Encoder& encoder) { encoder.write(std::int32_t{1}); });
  });
  const auto object = fixture.object({"peer"});
  std::future<std::int32_t> first = std::async(std::launch::async, [&] { return echo(object); });
  inside.get_future().wait();
  check_timeout(limited(object, fixture.core(), milliseconds(20)), CORBA::COMPLETED_NO);
  release.set_value();
  CHECK(first.get() == 1);
  CHECK(echo(object) == 1);
  CHECK(executed == 2);
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("many callers with limits on one connection each get their own reply, or TIMEOUT") {
  Fixture fixture(one_connection());
  std::atomic<std::uint32_t> requests{0};
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    if (++requests % 7 == 0) return;  // never answered
    messaging::ContextStorage contexts;
    auto request = giop_session().parse_request(message, contexts);
    const auto argument = request->body.read<std::int32_t>();
    send_reply(transport, message, ReplyStatus::no_exception,
               [argument](cdr::Encoder& encoder) { encoder.write(argument); });
  });
  const auto object = limited(fixture.object({"peer"}), fixture.core(), milliseconds(2));
  constexpr int rounds = 100;
  std::atomic<int> right{0};
  std::atomic<int> late{0};
  {
    std::vector<std::jthread> threads;
    for (std::int32_t caller = 0; caller < 4; ++caller)
      threads.emplace_back([&, caller] {
        for (int round = 0; round < rounds; ++round) try {
            right += echo(object, caller * rounds + round) == caller * rounds + round ? 1 : 0;
          } catch (const CORBA::TIMEOUT&) {
            ++late;
          }
      });
  }
  CHECK(right + late == 4 * rounds);
  CHECK(late >= 4 * rounds / 7);
  // As a rule, the calls use one connection. On a busy machine, a first reply may be late, and the
  // client opens another connection.
}

}  // namespace perigee::test
