// Oneways with SYNC_NONE: they wait on their connection to be sent together.
#include "orb/client/endpoint_table.h"
#include "orb/context/orb_metrics.h"
#include "orb/fixture.h"
#include "orb/policies.h"
#include "orb/references/reference.h"
#include <perigee/orb/buffering_policy.h>
#include <perigee/orb/metrics.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace perigee::test {

namespace {

/// Oneways wait until the test flushes them.
constexpr BufferingConstraint until_asked{.message_count = 0, .message_bytes = 0, .timeout = 0};

ObjectRef buffered(Fixture& fixture, const ObjectRef& object,
                   const BufferingConstraint& constraint = until_asked) {
  return object->_set_policy_overrides(
      {make_policy(fixture.core(), SYNC_SCOPE_POLICY_TYPE, Messaging::SYNC_NONE),
       make_buffering_constraint(constraint)},
      SET_OVERRIDE);
}

void notify(const ObjectRef& object, std::int32_t number) {
  stub::invoke(
      *object, notify_operation, [number](cdr::Encoder& encoder) { encoder.write(number); },
      nullptr);
}

void flush(Fixture& fixture) {
  CORBA::ORB orb(fixture.core().shared_from_this());
  flush_oneways(orb);
}

/// Collects the numbers that arrive, and replies to two-way calls.
class Collector {
 public:
  [[nodiscard]] OnMessage script() {
    return [this](ScriptedTransport& transport, const IncomingMessage& message) {
      take(transport, message);
    };
  }
  [[nodiscard]] std::vector<std::int32_t> numbers() const {
    const std::lock_guard lock(mutex_);
    return numbers_;
  }
  /// The connections on which the oneways of `thread` arrived. Their numbers are 1000 * `thread` to
  /// 1000 * `thread` + 999.
  [[nodiscard]] std::set<const void*> connections_of(std::int32_t thread) const {
    const std::lock_guard lock(mutex_);
    const auto found = connections_.find(thread);
    return found != connections_.end() ? found->second : std::set<const void*>{};
  }

 private:
  void take(ScriptedTransport& transport, const IncomingMessage& message) {
    messaging::ContextStorage contexts;
    auto request = giop_session().parse_request(message, contexts);
    if (request->header.response != messaging::ResponseFlags::none)
      return send_reply(transport, message, ReplyStatus::no_exception,
                        [](cdr::Encoder& encoder) { encoder.write(std::int32_t{0}); });
    const auto number = request->body.read<std::int32_t>();
    const std::lock_guard lock(mutex_);
    numbers_.push_back(number);
    connections_[number / 1000].insert(&transport);
  }

  mutable std::mutex mutex_;  // guards the members below
  std::vector<std::int32_t> numbers_;
  std::map<std::int32_t, std::set<const void*>> connections_;
};

/// A peer that collects numbers, and a reference to it whose oneways are buffered.
struct Buffering {
  explicit Buffering(const BufferingConstraint& constraint = until_asked,
                     orb::Settings settings = {})
      : fixture(std::move(settings)) {
    fixture.peer("peer", collector.script());
    plain = fixture.object({"peer"});
    object = buffered(fixture, plain, constraint);
  }
  [[nodiscard]] std::size_t sends() { return fixture.counts("peer").sends; }

  Collector collector;
  Fixture fixture;
  ObjectRef plain;
  ObjectRef object;
};

using Numbers = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("oneways wait until there are as many as the constraint says, and leave in one send") {
  Buffering test({.message_count = 3, .message_bytes = 0, .timeout = 0});
  for (const std::int32_t number : {1, 2}) notify(test.object, number);
  CHECK(test.sends() == 0);
  notify(test.object, 3);
  CHECK(test.sends() == 1);
  CHECK(test.collector.numbers() == Numbers{1, 2, 3});
  notify(test.object, 4);
  CHECK(test.sends() == 1);
}

TEST_CASE("buffered oneways leave when they reach the constraint's number of octets") {
  Buffering test({.message_count = 0, .message_bytes = 1000, .timeout = 0});
  std::int32_t count = 0;
  while (test.sends() == 0) notify(test.object, count++);
  CHECK(count > 5);  // a request is less than 200 octets
  CHECK(count < 30);
  CHECK(test.collector.numbers().size() == static_cast<std::size_t>(count));
}

TEST_CASE("buffered oneways leave when their time-out passes, without a further call") {
  std::promise<void> arrived;
  Fixture fixture;
  fixture.peer("peer", [&](ScriptedTransport&, const IncomingMessage&) { arrived.set_value(); });
  notify(buffered(fixture, fixture.object({"peer"}), {0, 0, 10'000}), 1);
  arrived.get_future().get();
  CHECK(fixture.counts("peer").sends == 1);
}

TEST_CASE("a oneway leaves at once if no thread can send it later") {
  Fixture fixture;
  fixture.peer("peer", [](ScriptedTransport&, const IncomingMessage&) {});
  const TransportCounts& counts = fixture.counts("peer");
  auto transport = fixture.protocol().connect({"test", "peer"}, {});
  orb::WakeTimer timer(steady_clock(), [](TimePoint) { return Deadline::never(); });
  timer.stop();
  orb::ClientConnection connection(std::move(*transport), giop_protocol(), {}, {}, nullptr, &timer);
  cdr::Buffer message;
  cdr::Encoder encoder(message);
  giop_session().begin_request(encoder, {1, 2}, messaging::RequestHeader{.operation = "notify"},
                               messaging::Body::empty);
  giop_session().finish(encoder);
  (void)connection.send_soon(message, {.timeout = std::chrono::hours(1)});
  CHECK(counts.sends == 1);
  CHECK(connection.oneways().empty());
}

TEST_CASE("the shorter time-out of a later oneway holds for all buffered oneways") {
  std::promise<void> arrived;
  Fixture fixture;
  fixture.peer("peer", [&, seen = 0](ScriptedTransport&, const IncomingMessage&) mutable {
    if (++seen == 2) arrived.set_value();
  });
  const auto object = fixture.object({"peer"});
  notify(buffered(fixture, object, {0, 0, 36'000'000'000}), 1);  // an hour
  notify(buffered(fixture, object, {0, 0, 10'000}), 2);
  arrived.get_future().get();
}

TEST_CASE("every message of a connection is sent after the connection's buffered oneways") {
  Buffering test;
  notify(test.object, 1);
  notify(test.object, 2);
  CHECK(echo(test.plain) == 0);
  CHECK(test.collector.numbers() == Numbers{1, 2});
  CHECK(test.sends() == 2);
  notify(test.object, 3);
  notify(test.plain, 4);
  CHECK(test.collector.numbers() == Numbers{1, 2, 3, 4});
  CHECK(test.fixture.counts("peer").connects == 1);
}

TEST_CASE("flush_oneways, shutdown and destroy send the buffered oneways") {
  Buffering test;
  notify(test.object, 1);
  CHECK(test.sends() == 0);
  flush(test.fixture);
  CHECK(test.collector.numbers() == Numbers{1});
  notify(test.object, 2);
  test.fixture.core().shutdown(orb::Completion::wait);
  CHECK(test.collector.numbers() == Numbers{1, 2});
}

namespace {

/// A buffering client whose first send, by the timer, lasts until the test ends it.
struct SlowTimer {
  SlowTimer() {
    fixture.peer("peer", [this](ScriptedTransport& transport, const IncomingMessage& message) {
      if (std::exchange(first, false)) {
        sending.set_value();
        released.get_future().wait();
      }
      collected(transport, message);
    });
    plain = fixture.object({"peer"});
    notify(buffered(fixture, plain, {.message_count = 0, .message_bytes = 0, .timeout = 10}), 1);
    sending.get_future().wait();
  }

  bool first = true;  // used by the sending thread
  std::promise<void> sending;
  std::promise<void> released;
  Collector collector;
  OnMessage collected = collector.script();
  Fixture fixture{{.first_reply_timeout = std::chrono::milliseconds::zero()}};
  ObjectRef plain;
};

constexpr std::chrono::milliseconds a_while{50};  // enough to overtake the oneways

}  // namespace

TEST_CASE("a call does not overtake oneways that the timer is sending") {
  SlowTimer test;
  const std::jthread release([&test] {
    std::this_thread::sleep_for(a_while);
    test.released.set_value();
  });
  ping(test.plain);
  CHECK(test.fixture.counts("peer").connects == 1);
  CHECK(test.collector.numbers() == Numbers{1});
}

TEST_CASE("flush_oneways waits for oneways that the timer is sending") {
  SlowTimer test;
  auto flushed = std::async(std::launch::async, [&test] { flush(test.fixture); });
  CHECK(flushed.wait_for(a_while) == std::future_status::timeout);
  test.released.set_value();
  flushed.get();
  CHECK(test.collector.numbers() == Numbers{1});
}

TEST_CASE("a call shares the connection of the thread's last oneway, until a call has a reply") {
  Fixture fixture({.first_reply_timeout = std::chrono::milliseconds::zero()});
  std::promise<void> asked;
  bool first = true;
  const OnMessage take = [&](ScriptedTransport& transport, const IncomingMessage& message) {
    messaging::ContextStorage contexts;
    const auto request = giop_session().parse_request(message, contexts);
    if (request->header.response == messaging::ResponseFlags::none) return;
    if (std::exchange(first, false)) return asked.set_value();  // without a reply
    send_reply(transport, message, ReplyStatus::no_exception);
  };
  for (int connection = 0; connection < 2; ++connection) fixture.peer("peer", take);
  const ObjectRef object = fixture.object({"peer"});
  notify(object, 1);
  auto other = std::async(std::launch::async, [&] { ping(object); });
  asked.get_future().wait();
  ping(object);
  CHECK(fixture.counts("peer").connects == 1);
  ping(object);  // the oneway has arrived, so a free connection is better
  CHECK(fixture.counts("peer").connects == 2);
  fixture.core().destroy();
  CHECK_THROWS_AS(other.get(), CORBA::SystemException);
}

TEST_CASE("an idle connection is not closed before its buffered oneways are sent") {
  std::promise<void> arrived;
  orb::Settings settings;
  settings.client_idle_timeout = std::chrono::milliseconds(1);
  Fixture fixture(settings);
  fixture.peer("peer", [&](ScriptedTransport&, const IncomingMessage&) { arrived.set_value(); });
  notify(buffered(fixture, fixture.object({"peer"})), 1);
  arrived.get_future().get();  // the sweeper's thread has sent it
}

TEST_CASE("a large oneway is sent alone and uncopied, after the buffered oneways") {
  Buffering test;
  notify(test.object, 1);
  for (const std::size_t size : {std::size_t{9 * 1024}, std::size_t{300 * 1024}}) {
    const std::vector<std::byte> large(size);
    const std::size_t sends = test.sends();
    stub::invoke(
        *test.object, notify_operation,
        [&](cdr::Encoder& encoder) {
          encoder.write(std::int32_t{2});
          encoder.write_octets(large);
        },
        nullptr);
    CHECK(test.sends() == sends + (sends == 0 ? 2 : 1));
  }
  CHECK(test.collector.numbers() == Numbers{1, 2, 2});
}

TEST_CASE("buffered oneways are sent before they take too much memory, with any constraint") {
  Buffering test;
  const std::vector<std::byte> part(7 * 1024);
  std::size_t count = 0;
  for (; test.sends() == 0; ++count)
    stub::invoke(
        *test.object, notify_operation,
        [&](cdr::Encoder& encoder) {
          encoder.write(std::int32_t{7});
          encoder.write_octets(part);
        },
        nullptr);
  CHECK(count > 30);
  CHECK(count < 40);
  CHECK(test.collector.numbers().size() == count - 1);
}

TEST_CASE("lost oneways are counted, and flush_oneways raises one exception") {
  Fixture fixture;
  Script deaf;
  deaf.accepts_max = 50;
  fixture.protocol().add("peer", deaf);
  const auto object = buffered(fixture, fixture.object({"peer"}));
  for (const std::int32_t number : {1, 2, 3}) notify(object, number);
  const auto lost = caught<CORBA::COMM_FAILURE>([&] { flush(fixture); });
  CHECK(lost.completed() == CORBA::COMPLETED_MAYBE);
  CHECK(std::string(lost.what()).find("3 buffered oneways are lost") != std::string::npos);
  CHECK(fixture.core().metrics().client_traffic.totals().oneways_lost == 3);
  flush(fixture);
}

TEST_CASE("oneways after a failed flush take a new connection") {
  Fixture fixture;
  Script deaf;
  deaf.accepts_max = 50;
  fixture.protocol().add("peer", deaf);
  Collector collector;
  fixture.peer("peer", collector.script());
  const auto object = buffered(fixture, fixture.object({"peer"}));
  notify(object, 1);
  CHECK_THROWS_AS(flush(fixture), CORBA::COMM_FAILURE);
  notify(object, 2);
  flush(fixture);
  CHECK(collector.numbers() == Numbers{2});
  CHECK(fixture.counts("peer").connects == 2);
}

TEST_CASE(
    "a two-way call does not take another connection while oneways wait on the thread's own") {
  Buffering test;
  notify(test.object, 1);
  const auto& endpoint = test.plain->_reference()->base()->targets.front().endpoint;
  const auto in_use = endpoint->checkout(orb::Freshness::any, orb::Sharing::allowed, {});
  CHECK(in_use.has_value());
  CHECK(echo(test.plain) == 0);
  CHECK(test.collector.numbers() == Numbers{1});
  CHECK(test.fixture.counts("peer").connects == 1);
}

TEST_CASE("a oneway that fills the buffer raises COMM_FAILURE if the connection is broken") {
  Fixture fixture;
  Script deaf;
  deaf.accepts_max = 50;
  fixture.protocol().add("peer", deaf);
  const auto object = buffered(fixture, fixture.object({"peer"}),
                               {.message_count = 2, .message_bytes = 0, .timeout = 0});
  notify(object, 1);
  const auto failure = caught<CORBA::COMM_FAILURE>([&] { notify(object, 2); });
  CHECK(failure.completed() == CORBA::COMPLETED_MAYBE);
}

TEST_CASE("a call that follows lost oneways is not lost: it takes a new connection") {
  Fixture fixture;
  Script deaf;
  deaf.accepts_max = 50;
  fixture.protocol().add("peer", deaf);
  Collector collector;
  fixture.peer("peer", collector.script());
  const auto plain = fixture.object({"peer"});
  notify(buffered(fixture, plain), 1);
  CHECK(echo(plain) == 0);
  CHECK(fixture.counts("peer").connects == 2);
  CHECK(fixture.core().metrics().client_traffic.totals().oneways_lost == 1);
}

TEST_CASE("each buffered oneway is counted as one message") {
  Buffering test;
  for (std::int32_t number = 0; number < 5; ++number) notify(test.object, number);
  flush(test.fixture);
  CHECK(test.fixture.core().metrics().client_traffic.totals().messages_sent == 5);
}

TEST_CASE("a thread's oneways arrive in order on one connection, which other threads share") {
  constexpr int thread_count = 6;
  constexpr std::int32_t each = 500;
  orb::Settings settings;
  settings.connections_per_endpoint_max = 2;
  // In the scripted transport this time-out passes at once, even while another thread sends.
  settings.first_reply_timeout = std::chrono::milliseconds::zero();
  Buffering test({.message_count = 7, .message_bytes = 0, .timeout = 1'000}, settings);
  {
    std::vector<std::jthread> threads;
    for (std::int32_t thread = 0; thread < thread_count; ++thread)
      threads.emplace_back([&, thread] {
        for (std::int32_t count = 0; count < each; ++count) {
          notify(count % 3 == 0 ? test.plain : test.object, thread * 1000 + count);
          if (count % 50 == 0) CHECK(echo(test.plain) == 0);
        }
      });
  }
  flush(test.fixture);
  const Numbers numbers = test.collector.numbers();
  for (std::int32_t thread = 0; thread < thread_count; ++thread) {
    Numbers own;
    std::ranges::copy_if(numbers, std::back_inserter(own),
                         [&](std::int32_t number) { return number / 1000 == thread; });
    CHECK(own.size() == each);
    CHECK(std::ranges::is_sorted(own));
    CHECK(test.collector.connections_of(thread).size() == 1);
  }
}

TEST_CASE("the constraint of the nearest level holds, and can be read") {
  Buffering test({.message_count = 2, .message_bytes = 0, .timeout = 0});
  const auto of_orb = make_buffering_constraint({.message_count = 1});
  policy_manager(test.fixture.core())->set_policy_overrides({of_orb}, SET_OVERRIDE);
  notify(test.object, 1);
  CHECK(test.sends() == 0);
  const auto read = IDL::traits<BufferingConstraintPolicy>::narrow(
      test.object->_get_policy(BUFFERING_CONSTRAINT_POLICY_TYPE));
  REQUIRE(read);
  CHECK(read->buffering_constraint().message_count == 2);
  CHECK(read->copy()->policy_type() == BUFFERING_CONSTRAINT_POLICY_TYPE);
  CHECK(IDL::traits<BufferingConstraintPolicy>::narrow(
            test.plain->_get_policy(BUFFERING_CONSTRAINT_POLICY_TYPE))
            ->buffering_constraint()
            .message_count == 1);
}

TEST_CASE("create_policy makes a buffering constraint from an any, and refuses other values") {
  Fixture fixture;
  const BufferingConstraint constraint{.message_count = 2, .message_bytes = 300, .timeout = 40};
  const auto made = IDL::traits<BufferingConstraintPolicy>::narrow(
      make_policy(fixture.core(), BUFFERING_CONSTRAINT_POLICY_TYPE, constraint));
  REQUIRE(made);
  CHECK(made->buffering_constraint().message_count == 2);
  CHECK(made->buffering_constraint().message_bytes == 300);
  CHECK(made->buffering_constraint().timeout == 40);
  CHECK_THROWS_AS((void)make_policy(fixture.core(), BUFFERING_CONSTRAINT_POLICY_TYPE, 2),
                  CORBA::PolicyError);
}

}  // namespace perigee::test
