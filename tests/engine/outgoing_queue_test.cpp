// OutgoingQueue: sends of single messages, and their effects on other messages.
#include "engine/memory/mapping_cache.h"
#include "engine/outgoing_fixture.h"
#include "support/allocations.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <vector>

namespace perigee::test {

using Status = Sent::Status;
using Numbers = std::vector<std::uint32_t>;

namespace {

struct QueueFixture {
  explicit QueueFixture(const OutgoingLimits& limits = {}, engine::Sealer* sealer = nullptr)
      : queue(transport, limits, counts, sealer, clock) {}

  Sent send(std::uint32_t number, Wait wait = Wait::no, std::size_t size = 100,
            Deadline deadline = {}) {
    const Octets octets = numbered_message(number, size);
    return queue.send(OneSegment(octets), wait, deadline);
  }
  Sent hold(std::uint32_t number, const Hold& limits = {.count = 0, .octets = 0}) {
    const Octets octets = numbered_message(number, 100);
    return queue.hold(OneSegment(octets), limits, Wait::no);
  }
  /// The next send first calls `meanwhile`, and then takes `octets` octets.
  void take_once(std::size_t octets, std::function<void()> meanwhile = {}) {
    transport.on_send = [this, octets, meanwhile](auto segments, Wait) -> IoResult {
      transport.on_send = [](auto, Wait) { return IoResult{0, IoStatus::would_block, 0}; };
      if (meanwhile) meanwhile();
      const std::size_t size = SendingTransport::all_of(segments).count;
      const std::size_t count = std::min(octets, size);
      return {count, count == 0 ? IoStatus::would_block : IoStatus::ok, 0};
    };
  }
  void take_all() { transport.on_send = {}; }
  [[nodiscard]] Numbers received() const {
    const ReceivedMessages messages = parse_messages(transport.taken);
    CHECK_FALSE(messages.garbled);
    return messages.numbers;
  }

  SendingTransport transport{{.finishes = true, .owes_output = true}};
  OutgoingCounts counts;
  CreepingClock clock;
  OutgoingQueue queue;
};

constexpr std::size_t everything = 1'000'000;

}  // namespace

TEST_CASE("a thread that finds the queue idle sends its message from its own memory") {
  QueueFixture f;
  const Octets first = numbered_message(1, 300);
  const OctetSpan parts[] = {OctetSpan(first).first(100), OctetSpan(first).subspan(100)};
  int sends = 0;
  f.transport.on_send = [&](auto segments, Wait wait) {
    ++sends;
    CHECK(wait == Wait::yes);
    CHECK(segments.data() == parts);
    return SendingTransport::all_of(segments);
  };
  CHECK(f.queue.send(parts, Wait::yes).status == Status::sent);
  CHECK(sends == 1);
  CHECK(f.received() == Numbers{1});
  CHECK(f.queue.idle());
}

TEST_CASE("a message in shared memory is not copied while it waits") {
  QueueFixture f;
  OctetsLender lender(numbered_message(1, 100'000));
  const OctetSpan whole = lender.octets();
  const Octets head(whole.begin(), whole.begin() + 10);  // not in the shared memory
  const OctetSpan parts[] = {head, whole.subspan(10, 50'000), whole.subspan(50'010)};
  f.take_once(20'000);
  CHECK(f.queue.send_shared(parts, lender).status == Status::queued);
  CHECK(f.send(2).status == Status::queued);
  CHECK(lender.shares == 1);
  lender.drop();
  CHECK(lender.is_kept());
  CHECK(f.queue.check_invariants());
  std::vector<const std::byte*> sent_from;
  f.transport.on_send = [&sent_from](auto segments, Wait) {
    sent_from.push_back(segments.front().data());
    return SendingTransport::all_of(segments);
  };
  CHECK(f.queue.flush() == OutgoingQueue::Status::flowing);
  CHECK(sent_from.front() == whole.data() + 20'000);
  CHECK(f.received() == Numbers{1, 2});
  CHECK_FALSE(lender.is_kept());
  CHECK(f.counts.queued.value() == 0);
}

TEST_CASE("a message in shared memory that leaves at once is not shared") {
  QueueFixture f;
  OctetsLender lender(numbered_message(1, 100'000));
  const OctetSpan whole = lender.octets();
  CHECK(f.queue.send_shared({&whole, 1}, lender).status == Status::sent);
  CHECK(lender.shares == 0);
}

TEST_CASE("a waiting message in shared memory can be withdrawn until a part of it leaves") {
  for (const std::size_t taken : {std::size_t{0}, std::size_t{5'000}}) {
    CAPTURE(taken);
    QueueFixture f;
    f.take_once(50);
    CHECK(f.send(1).status == Status::queued);
    OctetsLender lender(numbered_message(2, 30'000));
    const OctetSpan whole = lender.octets();
    const OctetSpan parts[] = {whole.first(100), whole.subspan(100, 10'000), whole.subspan(10'100)};
    const Sent sent = f.queue.send_shared(parts, lender);
    CHECK(sent.status == Status::queued);
    CHECK(f.send(3).status == Status::queued);
    lender.drop();
    if (taken != 0) {
      f.take_once(taken);
      (void)f.queue.flush();
      f.take_once(taken);
      (void)f.queue.flush();
    }
    CHECK(f.queue.withdraw(sent.ticket) == (taken == 0));
    CHECK(lender.is_kept() == (taken != 0));
    CHECK(f.queue.check_invariants());
    f.take_all();
    CHECK(f.queue.flush() == OutgoingQueue::Status::flowing);
    CHECK(f.received() == (taken == 0 ? Numbers{1, 3} : Numbers{1, 2, 3}));
    CHECK(f.counts.queued.value() == 0);
  }
}

TEST_CASE("a sender returns after some batches, although other messages come all the time") {
  QueueFixture f;
  constexpr std::uint32_t batches_without_end = 1000;
  std::uint32_t sends = 0;
  f.transport.on_send = [&](auto segments, Wait) {
    if (sends++ < batches_without_end)
      CHECK(f.send(1 + sends, Wait::no).status == Status::queued);  // as another thread
    return SendingTransport::all_of(segments);
  };
  CHECK(f.send(1, Wait::yes).status == Status::sent);
  CHECK(sends == 9);  // its own message and eight batches
  CHECK(f.queue.blocked());
  CHECK(f.queue.yielded());
  CHECK(f.queue.check_invariants());
  CHECK(f.queue.flush() == OutgoingQueue::Status::flowing);
  CHECK(f.queue.idle());
  CHECK_FALSE(f.queue.yielded());
  CHECK(f.received().size() == batches_without_end + 1);
}

TEST_CASE("a queue whose sender has returned can be closed, withdrawn from and finished") {
  QueueFixture f;
  std::uint32_t sends = 0;
  Ticket last = 0;
  f.transport.on_send = [&](auto segments, Wait) {
    if (sends++ < 9) last = f.send(1 + sends, Wait::no).ticket;
    return SendingTransport::all_of(segments);
  };
  CHECK(f.send(1, Wait::yes).status == Status::sent);
  REQUIRE(f.queue.yielded());
  SUBCASE("closed") {
    f.queue.close();
    CHECK(f.queue.failed());
  }
  SUBCASE("withdrawn from") {
    CHECK(f.queue.withdraw(last));
    CHECK(f.queue.idle());
  }
  SUBCASE("finished") {
    f.queue.finish();
    CHECK_FALSE(f.queue.finished());
    (void)f.queue.flush();
    CHECK(f.queue.finished());
  }
  CHECK(f.queue.check_invariants());
}

TEST_CASE("messages that come during a send are sent after it, together and without a wait") {
  QueueFixture f;
  std::vector<Wait> waits;
  f.transport.on_send = [&](auto segments, Wait wait) {
    waits.push_back(wait);
    if (waits.size() == 1)
      for (const std::uint32_t number : {2U, 3U})
        CHECK(f.send(number, Wait::yes).status == Status::queued);
    return SendingTransport::all_of(segments);
  };
  CHECK(f.send(1, Wait::yes).status == Status::sent);
  CHECK(waits == std::vector{Wait::yes, Wait::no});
  CHECK(f.received() == Numbers{1, 2, 3});
  CHECK(f.queue.check_invariants());
}

TEST_CASE("a queue that the transport refuses is blocked until it is flushed") {
  QueueFixture f;
  f.take_once(30);
  const Sent first = f.send(1);
  CHECK(first.status == Status::queued);
  CHECK(f.queue.blocked());
  const Sent second = f.send(2, Wait::yes);  // does not wait for the first message
  CHECK(second.status == Status::queued);
  CHECK(f.queue.progress(second.ticket) == Progress::waiting);
  CHECK(f.counts.queued.value() == 170);
  f.take_all();
  CHECK(f.queue.flush() == OutgoingQueue::Status::flowing);
  CHECK(f.queue.idle());
  CHECK(f.queue.progress(first.ticket) == Progress::sent);
  CHECK(f.queue.progress(second.ticket) == Progress::sent);
  CHECK(f.received() == Numbers{1, 2});
  CHECK(f.counts.queued.value() == 0);
  CHECK(f.counts.octets.value() == 200);
  CHECK(f.counts.messages.value() == 2);
}

TEST_CASE("a message that the transport refuses at first is counted once") {
  QueueFixture f;
  f.take_once(0);
  CHECK(f.send(1).status == Status::queued);
  f.take_all();
  (void)f.queue.flush();
  CHECK(f.counts.messages.value() == 1);
}

TEST_CASE("a flush that comes during a refused send is not lost") {
  QueueFixture f;
  int sends = 0;
  f.transport.on_send = [&](auto segments, Wait) -> IoResult {
    if (++sends > 2) return SendingTransport::all_of(segments);
    (void)f.queue.flush();
    return {0, IoStatus::would_block, 0};
  };
  CHECK(f.send(1).status == Status::queued);
  CHECK(f.queue.idle());
  CHECK(f.received() == Numbers{1});
}

TEST_CASE("the rest of a message goes in front of messages that came during its send") {
  QueueFixture f;
  f.take_once(30, [&] { CHECK(f.send(2).status == Status::queued); });
  const Sent first = f.send(1);
  const Sent third = f.send(3);
  CHECK(first.ticket < third.ticket);
  CHECK(f.queue.check_invariants());
  f.take_all();
  (void)f.queue.flush();
  CHECK(f.received() == Numbers{1, 2, 3});
}

TEST_CASE("a deadline that passes before its message is sent does not affect other messages") {
  QueueFixture f;
  f.transport.on_send = [&](auto, Wait wait) {
    CHECK(wait == Wait::yes);
    CHECK(f.transport.send_timeout.count() != 0);
    f.clock.advance(std::chrono::seconds(2));
    f.take_all();
    CHECK(f.send(2).status == Status::queued);
    return IoResult{0, IoStatus::timed_out, 0};
  };
  const Deadline deadline = Deadline::after(std::chrono::seconds(1), f.clock.now());
  CHECK(f.send(1, Wait::yes, 100, deadline).status == Status::timed_out);
  CHECK(f.received() == Numbers{2});
  CHECK(f.queue.idle());
  CHECK_FALSE(f.queue.failed());
}

TEST_CASE("a deadline that passes in the middle of its message fails the queue") {
  QueueFixture f;
  f.transport.on_send = [&](auto, Wait) {
    f.clock.advance(std::chrono::seconds(2));
    f.take_all();
    CHECK(f.send(2).status == Status::queued);
    return IoResult{10, IoStatus::timed_out, 0};
  };
  const Deadline deadline = Deadline::after(std::chrono::seconds(1), f.clock.now());
  CHECK(f.send(1, Wait::yes, 100, deadline).status == Status::failed);
  CHECK(f.queue.failed());
  CHECK(f.transport.interrupted);
  CHECK(f.transport.taken.size() == 10);
  CHECK(f.send(3).status == Status::failed);
}

TEST_CASE("calls with equal limits set the time-out of the transport once") {
  QueueFixture f;
  for (int call = 0; call < 3; ++call) {
    const Deadline deadline = Deadline::after(std::chrono::seconds(1), f.clock.now());
    CHECK(f.send(1, Wait::yes, 100, deadline).status == Status::sent);
    if (call == 0) f.transport.send_timeout = std::chrono::microseconds(7);
  }
  CHECK(f.transport.send_timeout == std::chrono::microseconds(7));
  CHECK(f.send(2, Wait::yes).status == Status::sent);  // takes the time-out back
  CHECK(f.transport.send_timeout.count() == 0);
}

TEST_CASE(
    "a full queue refuses a sender that may not wait; other senders wait until their deadline") {
  QueueFixture f({.octets_max = 250});
  f.take_once(30);
  CHECK(f.send(1).status == Status::queued);
  CHECK(f.send(2).status == Status::queued);
  CHECK(f.send(3).status == Status::queued);
  CHECK(f.send(4).status == Status::full);
  const Deadline deadline = Deadline::after(std::chrono::milliseconds(1), f.clock.now());
  CHECK(f.send(5, Wait::yes, 100, deadline).status == Status::timed_out);
  CHECK(f.queue.check_invariants());
  f.take_all();
  (void)f.queue.flush();
  CHECK(f.received() == Numbers{1, 2, 3});
}

TEST_CASE("the first message in a queue may have any size") {
  QueueFixture f({.octets_max = 250});
  f.take_once(30);
  CHECK(f.send(1, Wait::no, 5000).status == Status::queued);
  CHECK(f.send(2, Wait::no, 5000).status == Status::queued);
  CHECK(f.send(3).status == Status::full);
}

TEST_CASE("held messages are sent together when they reach a limit, and before any other message") {
  QueueFixture f;
  int sends = 0;
  f.transport.on_send = [&](auto segments, Wait) {
    ++sends;
    return SendingTransport::all_of(segments);
  };
  const Hold three{.count = 3, .octets = 0};
  for (const std::uint32_t number : {1U, 2U}) CHECK(f.hold(number, three).status == Status::queued);
  CHECK(sends == 0);
  CHECK(f.queue.held() == 2);
  CHECK(f.queue.check_invariants());
  CHECK(f.hold(3, three).status == Status::queued);
  CHECK(sends == 1);
  (void)f.hold(4);
  CHECK(f.send(5, Wait::yes).status == Status::sent);
  CHECK(sends == 3);
  (void)f.hold(6);
  CHECK(f.queue.uncork() == OutgoingQueue::Status::flowing);
  CHECK(f.received() == Numbers{1, 2, 3, 4, 5, 6});
  CHECK(f.queue.idle());
}

TEST_CASE(
    "a message that reaches the limit by itself is sent after held messages, without a copy") {
  QueueFixture f;
  const Hold small{.count = 0, .octets = 1000};
  CHECK(f.hold(1, small).status == Status::queued);
  const Octets large = numbered_message(2, 1000);
  std::vector<const std::byte*> places;
  f.transport.on_send = [&](auto segments, Wait) {
    places.push_back(segments.front().data());
    return SendingTransport::all_of(segments);
  };
  CHECK(f.queue.hold(OneSegment(large), small, Wait::no).status == Status::sent);
  REQUIRE(places.size() == 2);
  CHECK(places[1] == large.data());
  CHECK(f.received() == Numbers{1, 2});
  CHECK(f.queue.idle());
}

TEST_CASE("the rest of a large message waits in memory that the next large message uses again") {
  const auto cache = std::make_shared<engine::MappingCache>(steady_clock(), nullptr,
                                                            engine::MappingCache::Limits{});
  const engine::OutgoingBlock::Source source = cache;
  QueueFixture f({.storage = &source});
  constexpr std::size_t size = 3'000'000;
  std::vector<const std::byte*> places;
  const auto send_in_two_parts = [&](std::uint32_t number) {
    f.take_once(1'000'000);
    CHECK(f.send(number, Wait::no, size).status == Status::queued);
    CHECK(cache->kept() == 0);
    f.transport.on_send = [&](auto segments, Wait) {
      places.push_back(segments.front().data());
      return SendingTransport::all_of(segments);
    };
    CHECK(f.queue.flush() == OutgoingQueue::Status::flowing);
    CHECK(cache->kept() >= 2'000'000);
  };
  send_in_two_parts(1);
  send_in_two_parts(2);
  CHECK(f.received() == Numbers{1, 2});
  REQUIRE(places.size() == 2);
  CHECK(places[0] == places[1]);
}

TEST_CASE("held messages are sent before they exceed the fixed limit, whatever other limits say") {
  QueueFixture f({.octets_max = 250});
  int sends = 0;
  f.transport.on_send = [&](auto segments, Wait) {
    ++sends;
    return SendingTransport::all_of(segments);
  };
  std::uint32_t count = 0;
  while (sends == 0) CHECK(f.hold(count++).status == Status::queued);
  CHECK(count == 256 * 1024 / 100 + 1);
  CHECK(f.received().size() == count - 1);
  CHECK(f.queue.held() == 1);
}

TEST_CASE("a message in the queue can be withdrawn until its send begins") {
  QueueFixture f;
  f.take_once(30);
  const Sent first = f.send(1);
  const Sent second = f.send(2);
  const Sent third = f.send(3);
  CHECK_FALSE(f.queue.withdraw(first.ticket));
  CHECK(f.queue.withdraw(second.ticket));
  CHECK_FALSE(f.queue.withdraw(second.ticket));
  CHECK(f.queue.check_invariants());
  f.take_all();
  (void)f.queue.flush();
  CHECK_FALSE(f.queue.withdraw(third.ticket));
  CHECK(f.received() == Numbers{1, 3});
}

TEST_CASE("all held messages can be withdrawn, even the last message") {
  QueueFixture f;
  const Sent first = f.hold(1);
  const Sent second = f.hold(2);
  CHECK(f.queue.withdraw(first.ticket));
  CHECK(f.queue.withdraw(second.ticket));
  CHECK(f.queue.idle());
  CHECK(f.queue.check_invariants());
  CHECK(f.send(3).status == Status::sent);
  CHECK(f.received() == Numbers{3});
}

TEST_CASE("the output ends after the last octet, never before") {
  QueueFixture f;
  f.take_once(30);
  CHECK(f.send(1).status == Status::queued);
  f.queue.finish();
  CHECK_FALSE(f.transport.ended);
  CHECK(f.send(2).status == Status::failed);
  f.transport.on_end = [&] { CHECK(f.received() == Numbers{1}); };
  f.take_all();
  CHECK(f.queue.flush() == OutgoingQueue::Status::flowing);
  CHECK(f.transport.ended);
  CHECK(f.queue.finished());
  CHECK(f.queue.idle());
  CHECK(f.send(3).status == Status::failed);
  f.queue.finish();
  CHECK(f.received() == Numbers{1});
}

TEST_CASE("an end of the output that blocks goes on with the next flush") {
  QueueFixture f;
  int tries = 0;
  f.transport.on_finish = [&]() -> IoResult {
    if (++tries < 3) return {0, IoStatus::would_block, 0};
    return {};
  };
  CHECK(f.send(1).status == Status::sent);
  f.queue.finish();
  CHECK(f.queue.blocked());
  CHECK_FALSE(f.queue.finished());
  CHECK(f.queue.flush() == OutgoingQueue::Status::blocked);
  CHECK(f.queue.flush() == OutgoingQueue::Status::flowing);
  CHECK(f.queue.finished());
  CHECK(f.queue.idle());
  CHECK(tries == 3);
}

TEST_CASE("an end of the output that fails is a failure of the queue") {
  QueueFixture f;
  f.transport.on_finish = [] { return IoResult{0, IoStatus::failed, EPIPE}; };
  f.queue.finish();
  CHECK(f.queue.failed());
  CHECK(f.queue.error_code() == EPIPE);
}

TEST_CASE("octets that the transport owes are sent before the next message, or block the queue") {
  QueueFixture f;
  int sends_without_segments = 0;
  bool takes = true;
  f.transport.on_send = [&](auto segments, Wait) -> IoResult {
    if (segments.empty()) ++sends_without_segments;
    if (!takes) return {0, IoStatus::would_block, 0};
    return SendingTransport::all_of(segments);
  };
  CHECK(f.queue.send_transport_output() == OutgoingQueue::Status::flowing);
  CHECK(sends_without_segments == 1);
  takes = false;
  CHECK(f.queue.send_transport_output() == OutgoingQueue::Status::blocked);
  CHECK(f.queue.blocked());
  const Sent queued = f.send(1);
  CHECK(queued.status == Status::queued);
  CHECK(f.queue.withdraw(queued.ticket));
  CHECK(f.queue.blocked());  // the octets of the transport still wait
  CHECK(f.send(2).status == Status::queued);
  takes = true;
  CHECK(f.queue.flush() == OutgoingQueue::Status::flowing);
  CHECK(sends_without_segments == 3);
  CHECK(f.received() == Numbers{2});
}

TEST_CASE("octets that the transport owes wait for the thread that is sending") {
  QueueFixture f;
  std::vector<bool> without_segments;
  f.transport.on_send = [&](auto segments, Wait) -> IoResult {
    if (without_segments.empty())
      CHECK(f.queue.send_transport_output() == OutgoingQueue::Status::flowing);
    without_segments.push_back(segments.empty());
    return SendingTransport::all_of(segments);
  };
  CHECK(f.send(1).status == Status::sent);
  CHECK(without_segments == std::vector<bool>{false, true});
  CHECK(f.queue.idle());
}

TEST_CASE("messages that are held, or come during the last send, are sent before the output ends") {
  QueueFixture f;
  (void)f.hold(1);
  f.transport.on_send = [&](auto segments, Wait) {
    f.take_all();
    f.queue.finish();
    return SendingTransport::all_of(segments);
  };
  CHECK(f.send(2).status == Status::sent);  // this send had begun before `finish`
  CHECK(f.transport.ended);
  CHECK(f.received() == Numbers{1, 2});
}

TEST_CASE("after a send that fails, the queue says which messages the peer may have") {
  QueueFixture f;
  f.take_once(30);
  CHECK(f.send(1).status == Status::queued);
  const Sent second = f.send(2);
  const Sent third = f.send(3);
  f.transport.on_send = [&](auto, Wait) {
    CHECK(f.queue.progress(third.ticket) == Progress::waiting);
    f.transport.on_send = [&](auto, Wait) {
      CHECK(f.queue.progress(second.ticket) == Progress::departing);
      return IoResult{110, IoStatus::failed, EPIPE};
    };
    return IoResult{70, IoStatus::ok, 0};
  };
  CHECK(f.queue.flush() == OutgoingQueue::Status::failed);
  CHECK(f.queue.error_code() == EPIPE);
  CHECK(f.queue.progress(second.ticket) == Progress::sent);
  CHECK(f.queue.progress(third.ticket) == Progress::waiting);
  CHECK(f.counts.queued.value() == 0);
  CHECK(f.queue.check_invariants());
}

TEST_CASE("a transport that throws fails the queue, so that no thread waits for the message") {
  QueueFixture f;
  f.transport.on_send = [](auto, Wait) -> IoResult { throw std::bad_alloc(); };
  CHECK_THROWS_AS((void)f.send(1), std::bad_alloc);
  CHECK(f.queue.failed());
  CHECK(f.send(2).status == Status::failed);
  QueueFixture held;
  (void)held.hold(1);
  held.transport.on_send = [](auto, Wait) -> IoResult { throw std::bad_alloc(); };
  CHECK(held.queue.uncork() == OutgoingQueue::Status::failed);
}

TEST_CASE("datagrams carry one message each") {
  QueueFixture f({.joins_messages = false});
  std::vector<std::size_t> sizes;
  for (const std::uint32_t number : {1U, 2U, 3U}) (void)f.hold(number);
  f.transport.on_send = [&](auto segments, Wait) {
    sizes.push_back(SendingTransport::all_of(segments).count);
    return SendingTransport::all_of(segments);
  };
  (void)f.queue.uncork();
  CHECK(sizes == std::vector<std::size_t>{100, 100, 100});
  CHECK(f.received() == Numbers{1, 2, 3});
}

TEST_CASE("a queue that is used again and again allocates nothing") {
  QueueFixture f;
  bool refuses = false;
  f.transport.on_send = [&](auto segments, Wait) -> IoResult {
    return refuses ? IoResult{0, IoStatus::would_block, 0} : SendingTransport::all_of(segments);
  };
  f.transport.taken.reserve(everything);
  const Octets octets = numbered_message(1, 100);
  const auto turn = [&] {
    (void)f.queue.send(OneSegment(octets), Wait::yes);
    refuses = true;
    for (int sends = 0; sends < 100; ++sends) (void)f.queue.send(OneSegment(octets), Wait::no);
    refuses = false;
    (void)f.queue.flush();
    for (int holds = 0; holds < 100; ++holds)
      (void)f.queue.hold(OneSegment(octets), {.count = 64, .octets = 0}, Wait::no);
    (void)f.queue.uncork();
  };
  turn();
  const Allocations later = allocations_of([&] { turn(), turn(); });
  if (pools_in_use) CHECK(later.count == 0);
}

TEST_CASE("a message that is made in memory of the transport needs no send") {
  QueueFixture f;
  f.transport.place.resize(200);
  f.transport.on_send = [](auto, Wait) -> IoResult {
    FAIL("nothing is to be sent");
    return {};
  };
  const MutableOctetSpan place = f.queue.begin_direct(100);
  REQUIRE(place.data() == f.transport.place.data());
  CHECK(f.queue.writing());
  const Octets message = numbered_message(1, 150);
  std::ranges::copy(message, place.begin());
  CHECK(f.queue.commit_direct(message.size()).status == Status::sent);
  CHECK(f.received() == Numbers{1});
  CHECK(f.queue.idle());
  CHECK(f.counts.messages.value() == 1);
  CHECK(f.counts.octets.value() == message.size());
}

TEST_CASE("other messages wait for a message that is being made, and are sent after it") {
  QueueFixture f;
  f.transport.place.resize(200);
  const MutableOctetSpan place = f.queue.begin_direct(100);
  REQUIRE_FALSE(place.empty());
  const Sent other = f.send(2);
  CHECK(other.status == Status::queued);
  CHECK(f.queue.progress(other.ticket) == Progress::waiting);
  CHECK(f.queue.begin_direct(1).empty());
  SUBCASE("the message is sent") {
    std::ranges::copy(numbered_message(1, 100), place.begin());
    CHECK(f.queue.commit_direct(100).status == Status::sent);
    CHECK(f.received() == Numbers{1, 2});
  }
  SUBCASE("the memory is given back") {
    CHECK(f.queue.commit_direct(0).status == Status::sent);
    CHECK(f.received() == Numbers{2});
    CHECK(f.counts.messages.value() == 1);
  }
  CHECK(f.queue.progress(other.ticket) == Progress::sent);
  CHECK(f.queue.idle());
  CHECK(f.queue.check_invariants());
}

TEST_CASE(
    "the queue lends no memory while messages are held or blocked, nor if the transport has no "
    "room") {
  QueueFixture f;
  SUBCASE("the transport has no room") {
    CHECK(f.queue.begin_direct(1).empty());
    CHECK(f.queue.idle());
  }
  SUBCASE("held") {
    f.transport.place.resize(200);
    CHECK(f.hold(1).status == Status::queued);
    CHECK(f.queue.begin_direct(1).empty());
    CHECK(f.queue.held() == 1);
  }
  SUBCASE("blocked") {
    f.transport.place.resize(200);
    f.take_once(10);
    CHECK(f.send(1).status == Status::queued);
    CHECK(f.queue.begin_direct(1).empty());
    CHECK(f.queue.blocked());
  }
}

TEST_CASE("a message that comes while the transport refuses memory is sent") {
  QueueFixture f;
  f.transport.on_begin = [&f] { CHECK(f.send(2).status == Status::queued); };
  CHECK(f.queue.begin_direct(100).empty());
  CHECK(f.received() == Numbers{2});
  CHECK(f.queue.idle());
}

TEST_CASE("a commit that fails is a failure of the queue, and of the messages after this one") {
  QueueFixture f;
  f.transport.place.resize(200);
  REQUIRE_FALSE(f.queue.begin_direct(100).empty());
  const Sent other = f.send(2);
  f.transport.commit_error = EPIPE;
  CHECK(f.queue.commit_direct(100).status == Status::failed);
  CHECK(f.queue.failed());
  CHECK(f.queue.error_code() == EPIPE);
  CHECK_FALSE(f.queue.await_sent(other.ticket, {}));
  CHECK(f.counts.queued.value() == 0);
}

TEST_CASE("a queue that is closed or finished while a message is made ends after this message") {
  QueueFixture f;
  f.transport.place.resize(200);
  const MutableOctetSpan place = f.queue.begin_direct(100);
  std::ranges::copy(numbered_message(1, 100), place.begin());
  SUBCASE("closed") {
    const Sent other = f.send(2);
    REQUIRE(other.status == Status::queued);
    f.queue.close();
    CHECK(f.queue.commit_direct(100).status == Status::failed);
    CHECK(f.queue.failed());
    CHECK_FALSE(f.queue.writing());
    CHECK(f.received().empty());
    CHECK_FALSE(f.queue.await_sent(other.ticket, {}));
    CHECK(f.counts.queued.value() == 0);
  }
  SUBCASE("finished") {
    f.queue.finish();
    CHECK_FALSE(f.queue.finished());
    CHECK(f.queue.commit_direct(100).status == Status::sent);
    CHECK(f.queue.finished());
    CHECK(f.received() == Numbers{1});
  }
  CHECK(f.queue.check_invariants());
}

TEST_CASE("a queue that is closed during a send drops what the transport does not take") {
  QueueFixture f;
  f.take_once(10, [&f] { f.queue.close(); });
  CHECK(f.send(1).status == Status::failed);
  CHECK_FALSE(f.queue.blocked());
  CHECK(f.queue.failed());
  CHECK(f.counts.queued.value() == 0);
}

}  // namespace perigee::test
