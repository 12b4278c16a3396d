// Channel: one writer at a time, the queue, and the rest of a message when no thread may wait.
#include "engine/connection/channel.h"
#include "engine/connection/output_flusher.h"
#include "orb/fixture.h"

#include <doctest/doctest.h>

#include <functional>
#include <thread>
#include <vector>

namespace perigee::test {

using engine::Channel;
using engine::ChannelLimits;
using engine::ReadStatus;
using engine::SendStatus;
using transport::Wait;

namespace {

// Takes as many octets per send as it is allowed to, and remembers them.
class ThrottledTransport final : public transport::Transport {
 public:
  explicit ThrottledTransport(transport::Features features = {}) : Transport(features) {}

  std::size_t allowance = 0;
  Octets taken;
  std::function<void()> on_send;
  std::function<IoResult(Wait)> on_receive;

  IoResult send(std::span<const OctetSpan> segments, Wait) override {
    if (on_send) on_send();
    std::size_t count = 0;
    for (OctetSpan segment : segments) {
      segment = segment.first(std::min(segment.size(), allowance));
      taken.insert(taken.end(), segment.begin(), segment.end());
      allowance -= segment.size();
      count += segment.size();
    }
    return count == 0 ? IoResult{0, IoStatus::would_block, 0} : IoResult{count, IoStatus::ok, 0};
  }
  IoResult receive(MutableOctetSpan, Wait wait) override {
    if (on_receive) return on_receive(wait);
    return {0, IoStatus::end_of_stream, 0};
  }
  IoResult set_receive_timeout(std::chrono::microseconds) override { return {}; }
  IoResult set_send_timeout(std::chrono::microseconds) override { return {}; }
  void shutdown_send() noexcept override {}
  void interrupt() noexcept override {}
  [[nodiscard]] int readiness_fd() const noexcept override { return -1; }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

 private:
  std::string peer_ = "test://throttled";
};

cdr::Buffer message_with(std::size_t body_size) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  giop_session().begin_request(encoder, {1, 2}, messaging::RequestHeader{.operation = "ping"},
                               messaging::Body::present);
  encoder.write_octets(Octets(body_size, std::byte{1}));
  giop_session().finish(encoder);
  return buffer;
}

}  // namespace

TEST_CASE("a blocking read polls for the time of busy_poll, unless the transport spins itself") {
  std::vector<Wait> receives;
  const auto read_once = [&](std::chrono::microseconds busy_poll, transport::Features features) {
    receives.clear();
    auto transport = std::make_unique<ThrottledTransport>(features);
    transport->on_receive = [&](Wait wait) -> IoResult {
      receives.push_back(wait);
      const bool over = wait == Wait::yes || receives.size() == 3;
      return {0, over ? IoStatus::end_of_stream : IoStatus::would_block, 0};
    };
    Channel connection(std::move(transport), giop_protocol(), messaging::Role::opener,
                       {.busy_poll = busy_poll});
    messaging::IncomingMessage message;
    CHECK(connection.read(message, Wait::yes) == ReadStatus::end_of_stream);
  };
  read_once(std::chrono::microseconds(0), {});
  CHECK(receives == std::vector{Wait::yes});
  read_once(std::chrono::hours(1), {});
  CHECK(receives == std::vector{Wait::no, Wait::no, Wait::no});
  read_once(std::chrono::hours(1), {.spins = true});
  CHECK(receives == std::vector{Wait::yes});
}

TEST_CASE("octets that the transport does not take at once leave with flush, in order") {
  auto owned = std::make_unique<ThrottledTransport>();
  ThrottledTransport& transport = *owned;
  Channel connection(std::move(owned), giop_protocol(), messaging::Role::opener);
  const cdr::Buffer first = message_with(1000);
  const cdr::Buffer second = message_with(500);
  transport.allowance = 300;
  CHECK(connection.send(first, Wait::no).status == SendStatus::queued);
  const engine::SendResult queued = connection.send(second, Wait::no);
  CHECK(queued.status == SendStatus::queued);
  CHECK_FALSE(connection.idle_output());
  CHECK_FALSE(connection.accepted(queued.position));
  while (!connection.idle_output()) {
    transport.allowance = 300;
    CHECK(connection.flush());
  }
  Octets expected = first.flatten();
  const Octets rest = second.flatten();
  expected.insert(expected.end(), rest.begin(), rest.end());
  CHECK(transport.taken == expected);
  CHECK(connection.accepted(queued.position));
}

TEST_CASE("a connection breaks when the queue for a peer that does not read is full") {
  auto owned = std::make_unique<ThrottledTransport>();
  Channel connection(std::move(owned), giop_protocol(), messaging::Role::opener,
                     ChannelLimits{.write_queue_size_max = 4000});
  const cdr::Buffer message = message_with(1000);
  int queued = 0;
  while (connection.send(message, Wait::no).status == SendStatus::queued && queued < 10) ++queued;
  CHECK(queued == 4);  // a message that is being sent, and 3,036 octets after it
  CHECK(connection.broken());
  CHECK(connection.send(message, Wait::no).status == SendStatus::failed);
}

TEST_CASE("a message larger than the queue leaves as a whole when nothing waited before it") {
  auto owned = std::make_unique<ThrottledTransport>();
  ThrottledTransport& transport = *owned;
  Channel connection(std::move(owned), giop_protocol(), messaging::Role::opener,
                     ChannelLimits{.write_queue_size_max = 4000});
  transport.allowance = 100;
  const cdr::Buffer message = message_with(10'000);
  CHECK(connection.send(message, Wait::no).status == SendStatus::queued);
  transport.allowance = 20'000;
  CHECK(connection.flush());
  CHECK(transport.taken == message.flatten());
}

TEST_CASE("messages of several writers do not mix") {
  TransportCounts counts;
  std::atomic<int> whole{0};
  constexpr int writers = 4;
  constexpr int messages = 300;
  auto transport = std::make_unique<ScriptedTransport>(
      Script{.on_message = [&](ScriptedTransport&, const IncomingMessage&) { ++whole; }},
      giop_protocol(), counts);
  engine::OutputFlusher flusher;  // a writer leaves the rest of a long queue to the flusher
  Channel connection(std::move(transport), giop_protocol(), messaging::Role::opener,
                     ChannelLimits{.write_queue_size_max = 4000, .flusher = &flusher});
  {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < writers; ++writer)
      threads.emplace_back([&, writer] {
        const cdr::Buffer message = message_with(static_cast<std::size_t>(100 * writer));
        for (int index = 0; index < messages; ++index)
          if (connection.send(message, Wait::yes).status == SendStatus::failed) connection.close();
      });
  }
  while (!connection.idle_output()) std::this_thread::yield();  // the flusher may send the last
  CHECK(whole == writers * messages);
  CHECK(connection.idle_output());
}

TEST_CASE("a non-blocking read returns whole messages, then would_block") {
  TransportCounts counts;
  auto owned = std::make_unique<ScriptedTransport>(Script{}, giop_protocol(), counts);
  ScriptedTransport& transport = *owned;
  Channel connection(std::move(owned), giop_protocol(), messaging::Role::opener);
  const Octets message = message_with(10).flatten();
  transport.deliver(message);
  transport.deliver(OctetSpan(message).first(20));
  messaging::IncomingMessage incoming;
  CHECK(connection.read(incoming, Wait::no) == ReadStatus::message);
  CHECK(connection.read(incoming, Wait::no) == ReadStatus::would_block);
  CHECK(counts.receives == 1);  // a short read means that the transport is drained
  transport.deliver(OctetSpan(message).subspan(20));
  transport.end_of_stream();
  connection.expect_end();
  CHECK(connection.read(incoming, Wait::no) == ReadStatus::message);
  CHECK(connection.read(incoming, Wait::no) == ReadStatus::end_of_stream);
}

TEST_CASE("a queued message can be withdrawn until its send begins") {
  auto owned = std::make_unique<ThrottledTransport>();
  ThrottledTransport& transport = *owned;
  Channel connection(std::move(owned), giop_protocol(), messaging::Role::opener);
  const cdr::Buffer first = message_with(100);
  const cdr::Buffer last = message_with(300);
  transport.allowance = 10;
  CHECK(connection.send(first, Wait::no).status == SendStatus::queued);
  const engine::SendResult withdrawn = connection.send(message_with(200), Wait::no);
  const engine::SendResult kept = connection.send(last, Wait::no);
  CHECK(connection.withdraw(withdrawn.position));
  CHECK_FALSE(connection.withdraw(withdrawn.position));
  transport.allowance = 1000;
  CHECK(connection.flush());
  Octets expected = first.flatten();
  const Octets rest = last.flatten();
  expected.insert(expected.end(), rest.begin(), rest.end());
  CHECK(transport.taken == expected);
  CHECK(connection.accepted(kept.position));
  CHECK_FALSE(connection.withdraw(kept.position));
}

TEST_CASE("the messages of a send in progress count as accepted") {
  auto owned = std::make_unique<ThrottledTransport>();
  ThrottledTransport& transport = *owned;
  Channel connection(std::move(owned), giop_protocol(), messaging::Role::opener);
  transport.allowance = 10;
  CHECK(connection.send(message_with(100), Wait::no).status == SendStatus::queued);
  const engine::SendResult queued = connection.send(message_with(100), Wait::no);
  bool during = false;
  transport.on_send = [&] { during = connection.accepted(queued.position) || during; };
  transport.allowance = 1000;
  CHECK(connection.flush());
  CHECK(during);
  CHECK(connection.accepted(queued.position));
}

}  // namespace perigee::test
