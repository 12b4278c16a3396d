// The duties of every transport: the contract of transport.h as tests. A transport's test program
// defines `Harness` before it includes this file:
//
//   struct Harness {
//     TransportPair connect();               // two ends of a fresh connection
//     void reset_by_client(TransportPair&);  // the client aborts the connection
//   };
#pragma once

#include "conformance/transport_pair.h"
#include <perigee/event/reactor.h>
#include <perigee/transport/transport.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace perigee::test {

using namespace std::chrono_literals;

TEST_CASE("octets that either side sends arrive at the other side") {
  Harness harness;
  auto pair = harness.connect();
  const Octets request = pattern(100, 1);
  const Octets reply = pattern(50, 2);
  CHECK(send_all(*pair.client, request).count == 100);
  CHECK((receive_exactly(*pair.server, 100) == request));
  CHECK(send_all(*pair.server, reply).count == 50);
  CHECK((receive_exactly(*pair.client, 50) == reply));
}

TEST_CASE("a large message arrives whole while it is being received") {
  Harness harness;
  auto pair = harness.connect();
  const Octets message = pattern(16u << 20, 3);
  IoResult sent;
  std::jthread sender([&] { sent = send_all(*pair.client, message); });
  const Octets received = receive_exactly(*pair.server, message.size());
  sender.join();
  CHECK(sent.ok());
  CHECK(sent.count == message.size());
  CHECK((received == message));
}

TEST_CASE("more segments than a system call takes arrive in order, empty ones among them") {
  Harness harness;
  auto pair = harness.connect();
  const Octets message = pattern(17'500, 4);
  std::vector<OctetSpan> segments(3);
  for (std::size_t position = 0; position < message.size();) {
    const std::size_t size = std::min(segments.size() % 8, message.size() - position);
    segments.push_back(OctetSpan(message).subspan(position, size));
    position += size;
  }
  segments.push_back({});
  REQUIRE(segments.size() > 4096);
  IoResult sent;
  std::jthread sender([&] { sent = pair.client->send(segments, Wait::yes); });
  CHECK((receive_exactly(*pair.server, message.size()) == message));
  sender.join();
  CHECK(sent.ok());
  CHECK(sent.count == message.size());
}

TEST_CASE("segments of any size arrive as one stream") {
  const char* const given = std::getenv("PERIGEE_TEST_SEED");
  const auto seed = given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10))
                                     : std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  Harness harness;
  auto pair = harness.connect();
  const Octets message = pattern(1u << 20, seed);
  std::jthread sender([&] {
    OctetSpan left(message);
    while (!left.empty()) {
      std::vector<OctetSpan> segments(random() % 6 + 1);
      for (auto& segment : segments) {
        segment = left.first(std::min<std::size_t>(left.size(), random() % 40'000));
        left = left.subspan(segment.size());
      }
      if (!pair.client->send(segments, Wait::yes).ok()) return;
    }
  });
  CHECK((receive_exactly(*pair.server, message.size()) == message));
}

TEST_CASE("a send of no octets succeeds, and takes nothing") {
  Harness harness;
  auto pair = harness.connect();
  for (const auto wait : {Wait::yes, Wait::no}) {
    const auto result = pair.client->send({}, wait);
    CHECK(result.ok());
    CHECK(result.count == 0);
  }
}

TEST_CASE(
    "a receive without waiting says when no octets are there, and the next receive may wait") {
  Harness harness;
  auto pair = harness.connect();
  std::array<std::byte, 16> space;
  CHECK(pair.server->receive(space, Wait::no).status == IoStatus::would_block);
  const Octets message = pattern(16, 5);
  std::jthread sender([&] { static_cast<void>(send_all(*pair.client, message)); });
  CHECK((receive_exactly(*pair.server, 16) == message));
}

TEST_CASE("sends without waiting take the octets that fit, and lose none of them") {
  Harness harness;
  auto pair = harness.connect();
  const Octets message = pattern(64u << 20, 6);
  std::size_t taken = 0;
  IoResult result;
  bool was_short = false;
  for (;;) {
    // Two segments, so that a short send can end in either.
    const OctetSpan left = OctetSpan(message).subspan(taken);
    const std::size_t first = std::min<std::size_t>(left.size(), 1000);
    result = pair.client->send(std::array{left.first(first), left.subspan(first)}, Wait::no);
    if (!result.ok()) break;
    was_short = was_short || result.count < left.size();
    taken += result.count;
    REQUIRE(taken < message.size());
  }
  CHECK(result.status == IoStatus::would_block);
  CHECK(result.count == 0);
  CHECK(was_short);
  std::jthread sender([&] { send_transport_output(*pair.client); });
  const Octets received = receive_exactly(*pair.server, taken);
  sender.join();
  CHECK(std::equal(received.begin(), received.end(), message.begin()));
  CHECK(send_some(*pair.client, OctetSpan(message).first(1)).count == 1);
}

TEST_CASE(
    "the end of one direction comes after all its octets and leaves the other direction open") {
  Harness harness;
  auto pair = harness.connect();
  CHECK(send_all(*pair.client, pattern(10, 7)).ok());
  pair.client->shutdown_send();
  CHECK((receive_exactly(*pair.server, 10) == pattern(10, 7)));
  std::array<std::byte, 16> space;
  for (const auto wait : {Wait::yes, Wait::no, Wait::yes}) {
    CHECK(pair.server->receive(space, wait).status == IoStatus::end_of_stream);
  }
  CHECK(send_all(*pair.server, pattern(10, 8)).ok());
  CHECK((receive_exactly(*pair.client, 10) == pattern(10, 8)));
}

TEST_CASE("closing a transport ends the peer's stream") {
  Harness harness;
  auto pair = harness.connect();
  CHECK(send_all(*pair.client, pattern(10, 9)).ok());
  pair.client.reset();
  CHECK((receive_exactly(*pair.server, 10) == pattern(10, 9)));
  std::array<std::byte, 16> space;
  CHECK(pair.server->receive(space, Wait::yes).status == IoStatus::end_of_stream);
}

TEST_CASE("interrupt ends a receive that waits, and later receives do not wait") {
  Harness harness;
  auto pair = harness.connect();
  IoResult result;
  std::jthread receiver([&] {
    std::array<std::byte, 16> space;
    result = pair.server->receive(space, Wait::yes);
  });
  pair.server->interrupt();
  receiver.join();
  CHECK_FALSE(result.ok());
  std::array<std::byte, 16> space;
  const auto again = pair.server->receive(space, Wait::yes).status;
  CHECK((again == IoStatus::end_of_stream || again == IoStatus::failed));
}

TEST_CASE("interrupt ends a send that waits") {
  Harness harness;
  auto pair = harness.connect();
  IoResult result;
  const Octets message(64u << 20);
  std::jthread sender([&] { result = send_all(*pair.client, message); });
  pair.client->interrupt();
  sender.join();
  CHECK(result.status == IoStatus::failed);
  CHECK(result.count < message.size());
}

TEST_CASE("a receive ends when its time-out passes, and waits for ever without one") {
  Harness harness;
  auto pair = harness.connect();
  CHECK(pair.server->set_receive_timeout(1ms).ok());
  CHECK(pair.server->set_receive_timeout(1ms).ok());
  std::array<std::byte, 16> space;
  CHECK(pair.server->receive(space, Wait::yes).status == IoStatus::timed_out);
  CHECK(pair.server->receive(space, Wait::no).status == IoStatus::would_block);
  CHECK(pair.server->set_receive_timeout(0us).ok());
  const Octets message = pattern(16, 10);
  std::jthread sender([&] { static_cast<void>(send_all(*pair.client, message)); });
  CHECK((receive_exactly(*pair.server, 16) == message));
}

TEST_CASE("a send whose time-out passes says how much was taken") {
  Harness harness;
  auto pair = harness.connect();
  CHECK(pair.client->set_send_timeout(1ms).ok());
  const Octets message = pattern(64u << 20, 11);
  IoResult result;
  std::size_t taken = 0;
  for (; result.ok() && taken < message.size(); taken += result.count)
    result = send_all(*pair.client, OctetSpan(message).subspan(taken));
  CHECK(result.status == IoStatus::timed_out);
  CHECK(taken > 0);
  CHECK(taken < message.size());
  std::jthread sender([&] { send_transport_output(*pair.client); });
  const Octets received = receive_exactly(*pair.server, taken);
  sender.join();
  CHECK(std::equal(received.begin(), received.end(), message.begin()));
}

TEST_CASE("a send returns at its time-out although the peer goes on taking a few octets") {
  Harness harness;
  auto pair = harness.connect();
  CHECK(pair.client->set_send_timeout(20ms).ok());
  const Octets message = pattern(64u << 20, 12);
  std::atomic<bool> back{false};
  std::jthread reader([&] {
    while (!back && !receive_exactly(*pair.server, 64u << 10).empty())
      std::this_thread::sleep_for(1ms);
  });
  const IoResult result = send_all(*pair.client, message);
  back = true;
  pair.client->interrupt();
  CHECK(result.ok());
  CHECK(result.count > 0);
  CHECK(result.count < message.size());
}

TEST_CASE("a connection that the peer aborts fails with ECONNRESET") {
  Harness harness;
  auto pair = harness.connect();
  harness.reset_by_client(pair);
  std::array<std::byte, 16> space;
  const auto result = pair.server->receive(space, Wait::yes);
  CHECK(result.status == IoStatus::failed);
  CHECK(result.code == ECONNRESET);
}

TEST_CASE("sending to a peer that is gone fails, without a signal") {
  Harness harness;
  auto pair = harness.connect();
  pair.server.reset();
  const Octets message = pattern(1000, 12);
  IoResult result;
  // The transport may take the first message: it learns later that the peer is gone.
  do {
    result = send_all(*pair.client, message);
  } while (result.ok());
  CHECK(result.status == IoStatus::failed);
  CHECK((result.code == EPIPE || result.code == ECONNRESET));
}

TEST_CASE("one sender and one receiver on each side work at the same time") {
  Harness harness;
  auto pair = harness.connect();
  const Octets down = pattern(4u << 20, 13);
  const Octets up = pattern(4u << 20, 14);
  std::jthread client_sender([&] { static_cast<void>(send_all(*pair.client, up)); });
  std::jthread server_sender([&] { static_cast<void>(send_all(*pair.server, down)); });
  Octets got_down;
  std::jthread client_receiver([&] { got_down = receive_exactly(*pair.client, down.size()); });
  const Octets got_up = receive_exactly(*pair.server, up.size());
  client_receiver.join();
  CHECK((got_up == up));
  CHECK((got_down == down));
}

namespace {
/// Receives all octets, and remembers the readiness that the reactor has reported.
struct Collector final : event::EventHandler {
  explicit Collector(transport::Transport& of) : transport(of) {}
  void handle_ready(event::Readiness readiness) noexcept override {
    seen = seen | readiness;
    for (;;) {
      std::array<std::byte, 100> space;
      const auto result = transport.receive(space, Wait::no);
      ended = ended || result.status == IoStatus::end_of_stream;
      if (!result.ok()) return;
      octets.insert(octets.end(), space.begin(), space.begin() + std::ptrdiff_t(result.count));
    }
  }
  transport::Transport& transport;
  Octets octets;
  event::Readiness seen = event::Readiness::none;
  bool ended = false;
};
}  // namespace

TEST_CASE("a reactor reports octets and the end of the stream") {
  Harness harness;
  auto pair = harness.connect();
  auto reactor = event::make_reactor().value();
  Collector collector(*pair.server);
  REQUIRE(reactor->add(pair.server->readiness_fd(), collector).has_value());
  for (unsigned round = 1; round <= 3; ++round) {
    CHECK(send_all(*pair.client, pattern(1000, round)).ok());
    while (collector.octets.size() < 1000) reactor->run_once(Deadline::never());
    CHECK((collector.octets == pattern(1000, round)));
    collector.octets.clear();
  }
  pair.client.reset();
  while (!collector.ended) reactor->run_once(Deadline::never());
  CHECK(collector.octets.empty());
  reactor->remove(collector);
}

TEST_CASE("a reactor reports on request that a full transport takes octets again") {
  Harness harness;
  auto pair = harness.connect();
  auto reactor = event::make_reactor().value();
  Collector collector(*pair.client);
  const int fd = pair.client->readiness_fd();
  REQUIRE(reactor->add(fd, collector).has_value());
  const Octets message(1u << 20);
  std::size_t taken = 0;
  for (auto sent = send_some(*pair.client, message); sent.ok();
       sent = send_some(*pair.client, message)) {
    taken += sent.count;
  }
  reactor->want_writable(collector, event::WriteInterest::on);
  // The last octets may still be in the transport, until the next send.
  const std::size_t wanted = pair.client->features().owes_output ? taken / 2 : taken;
  std::jthread receiver([&] { static_cast<void>(receive_exactly(*pair.server, wanted)); });
  while (!has(collector.seen, event::Readiness::writable)) reactor->run_once(Deadline::never());
  // A transport may report this too early, but then it reports it again.
  while (!send_some(*pair.client, OctetSpan(message).first(1)).ok())
    reactor->run_once(Deadline::never());
  CHECK(has(collector.seen, event::Readiness::writable));
  reactor->remove(collector);
}

namespace {
/// Sends whenever the reactor reports an event, and receives nothing.
struct Sender final : event::EventHandler {
  Sender(transport::Transport& of, OctetSpan octets) : transport(of), left(octets) {}
  void handle_ready(event::Readiness) noexcept override {
    while (!left.empty()) {
      const auto result = send_some(transport, left);
      if (!result.ok()) return;
      left = left.subspan(result.count);
    }
  }
  transport::Transport& transport;
  OctetSpan left;
};
}  // namespace

// While a server sends a large reply, it reads no further requests.
TEST_CASE(
    "a reactor reports each time that a transport takes octets again, if nothing is received") {
  Harness harness;
  auto pair = harness.connect();
  auto reactor = event::make_reactor().value();
  const Octets message = pattern(16u << 20, 1);
  Sender sender(*pair.client, message);
  REQUIRE(reactor->add(pair.client->readiness_fd(), sender).has_value());
  reactor->want_writable(sender, event::WriteInterest::on);
  Octets received;
  std::jthread receiver([&] { received = receive_exactly(*pair.server, message.size()); });
  const Deadline end = Deadline::after(20s, steady_clock().now());
  while (!sender.left.empty() && !end.passed(steady_clock().now())) reactor->run_once(end);
  CHECK(sender.left.empty());
  reactor->remove(sender);
  if (!sender.left.empty()) pair.client->interrupt();
  receiver.join();
  CHECK((received == message));
}

}  // namespace perigee::test
