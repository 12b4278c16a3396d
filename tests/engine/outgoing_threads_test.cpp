// OutgoingQueue: threads that send, wait, withdraw and flush at the same time. The build with the
// thread sanitizer also runs these tests.
#include "engine/outgoing_fixture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace perigee::test {

namespace {

constexpr std::uint32_t sender_count = 4;
constexpr std::uint32_t messages_each = 2000;

struct Threads {
  Threads() : queue(transport, {.octets_max = 4000}, counts) {
    transport.place.resize(400);
    transport.on_send = [this](auto segments, Wait wait) -> IoResult {
      CHECK(sends.fetch_add(1) == 0);  // one writing thread at a time
      const std::size_t size = SendingTransport::all_of(segments).count;
      const std::uint32_t dice = random() % 8;
      IoResult result{size, IoStatus::ok, 0};
      if (wait == Wait::no && dice == 0) result = {0, IoStatus::would_block, 0};
      if (wait == Wait::no && dice == 1 && size > 1) result.count = 1 + random() % (size - 1);
      sends.fetch_sub(1);
      return result;
    };
  }

  void send(std::uint32_t sender) {
    std::mt19937 dice(sender + 1);
    for (std::uint32_t count = 0; count < messages_each; ++count) {
      const std::uint32_t number = sender * messages_each + count;
      const Octets octets = numbered_message(number, 8 + dice() % 300);
      if (sender == 1 && send_in_place(octets, dice())) continue;
      const bool holds = sender == 0;
      const Sent sent = holds ? queue.hold(OneSegment(octets), {.count = 7}, Wait::yes)
                              : queue.send(OneSegment(octets), Wait::yes);
      const bool kept = sent.status == Sent::Status::sent || sent.status == Sent::Status::queued;
      if (!kept) failures.fetch_add(1);
      const bool leaves = sent.ticket != 0 && dice() % 8 == 0 && queue.withdraw(sent.ticket);
      if (leaves) withdrawn[sender].insert(number);
      if (sent.ticket != 0 && !leaves && sender == 3 && dice() % 64 == 0)
        if (!queue.await_sent(sent.ticket, Deadline::never())) failures.fetch_add(1);
    }
    (void)queue.uncork();
  }

  /// False: the caller must send the message. Sometimes the transport has not enough memory, and
  /// sometimes this function gives the memory back.
  bool send_in_place(const Octets& octets, std::uint_fast32_t dice) {
    const MutableOctetSpan place = queue.begin_direct(dice % 4 == 0 ? 500 : octets.size());
    if (place.empty()) return false;
    CHECK(sends.fetch_add(1) == 0);
    std::ranges::copy(octets, place.begin());
    sends.fetch_sub(1);
    const bool gives_back = dice % 4 == 1;
    if (queue.commit_direct(gives_back ? 0 : octets.size()).status != Sent::Status::sent)
      failures.fetch_add(1);
    if (!gives_back) made_in_place.fetch_add(1);
    return !gives_back;
  }

  SendingTransport transport;
  OutgoingCounts counts;
  OutgoingQueue queue;
  std::mt19937 random{7};  // of the writing thread
  std::atomic<int> sends{0};
  std::atomic<int> failures{0};
  std::atomic<int> made_in_place{0};
  std::set<std::uint32_t> withdrawn[sender_count];
};

}  // namespace

namespace {

/// Sends the messages of all threads, and checks the sent octets. Returns how many messages were
/// made in place, that is, in memory of the transport.
int send_with_threads() {
  Threads f;
  std::atomic<bool> ends{false};
  {
    std::jthread loop([&] {
      while (!ends.load()) {
        if (f.queue.blocked()) (void)f.queue.flush();
        if (!f.queue.check_invariants()) f.failures.fetch_add(1);
        std::this_thread::yield();
      }
    });
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t sender = 0; sender < sender_count; ++sender)
        threads.emplace_back([&f, sender] { f.send(sender); });
    }
    while (!f.queue.idle()) (void)f.queue.flush();
    ends.store(true);
  }
  f.queue.finish();
  CHECK(f.failures == 0);
  CHECK(f.queue.finished());
  CHECK(f.counts.queued.value() == 0);
  const ReceivedMessages received = parse_messages(f.transport.taken);
  CHECK_FALSE(received.garbled);
  CHECK(received.rest == 0);
  std::vector<std::uint32_t> own[sender_count];
  for (const std::uint32_t number : received.numbers) own[number / messages_each].push_back(number);
  for (std::uint32_t sender = 0; sender < sender_count; ++sender) {
    CHECK(std::ranges::is_sorted(own[sender]));
    CHECK(own[sender].size() + f.withdrawn[sender].size() == messages_each);
    for (const std::uint32_t number : own[sender])
      REQUIRE_FALSE(f.withdrawn[sender].contains(number));
  }
  return f.made_in_place;
}

}  // namespace

// A message is made in place only if no other thread sends at that moment. In some rounds this
// never happens.
TEST_CASE("each message of several threads leaves once, whole, in the order of its thread") {
  int made_in_place = 0;
  for (int round = 0; round < 50 && made_in_place == 0; ++round)
    made_in_place = send_with_threads();
  CHECK(made_in_place > 0);
}

TEST_CASE("a message is sent even if it comes while the writing thread stops") {
  SendingTransport transport;
  OutgoingCounts counts;
  OutgoingQueue queue(transport, {}, counts);
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t sender = 0; sender < sender_count; ++sender)
      threads.emplace_back([&queue, sender] {
        const Octets octets = numbered_message(sender, 16);
        for (int count = 0; count < 20'000; ++count) {
          (void)queue.send(OneSegment(octets), Wait::no);
          if (queue.blocked()) (void)queue.flush();  // as the owner: a sender stops after a while
        }
      });
  }
  CHECK(queue.idle());
  CHECK(transport.taken.size() == sender_count * 20'000 * 16);
}

TEST_CASE("a thread that waits for room comes back when the queue is closed") {
  Threads f;
  f.transport.on_send = [](auto, Wait) { return IoResult{0, IoStatus::would_block, 0}; };
  const Octets octets = numbered_message(1, 3000);
  REQUIRE(f.queue.send(OneSegment(octets), Wait::no).status == Sent::Status::queued);
  std::jthread waits([&] {
    while (f.queue.send(OneSegment(octets), Wait::yes).status == Sent::Status::queued) {
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  f.queue.close();
}

}  // namespace perigee::test
