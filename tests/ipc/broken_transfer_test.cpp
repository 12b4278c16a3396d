// Transfers in several pieces: queues that take a few octets at a time, limits that end a send in
// the middle, peers that disconnect. In each case the arrived octets are known and correct.
#include "ipc/faults.h"
#include "support/octets.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <csignal>
#include <thread>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using namespace test;
using perigee::test::octets;

#define EVERY_CHANNEL OverV4, OverV6, OverLocal, OverRing, OverPipe
#define EVERY_TCP OverV4, OverV6, OverRing

bool says_that_the_peer_is_gone(std::error_code error) {
  return error == std::errc::broken_pipe || error == std::errc::connection_reset;
}

/// Appends the available octets, without waiting.
template <typename Receiver>
void receive_some(Receiver& receiver, Octets& arrived, std::size_t size) {
  Octets space(size);
  const auto received = receiver.recv(MutableOctetSpan(space), no_wait);
  if (!received) {
    CHECK(received.error() == std::errc::operation_would_block);
    return;
  }
  arrived.insert(arrived.end(), space.begin(),
                 space.begin() + static_cast<std::ptrdiff_t>(received->count()));
}

TEST_CASE_TEMPLATE("partial sends add up to the message, and each reports its exact size", Over,
                   EVERY_CHANNEL) {
  if (!is_here<Over>()) return;
  auto channel = channel_over<Over>();
  const Octets message = sample(500'000);
  Octets arrived;
  std::size_t sent = 0;
  while (arrived.size() < message.size()) {
    const OctetSpan rest = OctetSpan(message).subspan(sent);
    const std::array<OctetSpan, 2> halves{rest.first(rest.size() / 2),
                                          rest.subspan(rest.size() / 2)};
    if (const auto step = channel.sender.send(halves, no_wait)) sent += *step;
    receive_some(channel.receiver, arrived, 3001);
    REQUIRE(arrived.size() <= sent);
  }
  CHECK(sent == message.size());
  CHECK((arrived == message));
}

TEST_CASE_TEMPLATE("a send that a limit ends has sent nothing, or reports how much", Over,
                   EVERY_CHANNEL) {
  if (!is_here<Over>()) return;
  auto channel = channel_over<Over>();
  const Octets message = sample(200'000);
  Octets arrived;
  std::size_t sent = 0;
  while (arrived.size() < message.size()) {
    // Sends until the queue is full and the limit passes; then the receiver takes some octets.
    while (sent < message.size()) {
      const auto step = channel.sender.send(OctetSpan(message).subspan(sent), 1ms);
      if (!step) {
        CHECK(step.error() == std::errc::timed_out);
        break;
      }
      sent += *step;
    }
    receive_some(channel.receiver, arrived, 20'000);
  }
  CHECK((arrived == message));
}

TEST_CASE_TEMPLATE("an exact transfer that a limit ends reports how much it moved", Over,
                   EVERY_CHANNEL) {
  if (!is_here<Over>()) return;
  for (const TimeLimit limit : {no_wait, TimeLimit(1ms), TimeLimit(20ms)}) {
    auto channel = channel_over<Over>();
    const Octets message = sample(4u << 20);
    std::size_t sent = 1;
    CHECK_FALSE(channel.sender.send_n(OctetSpan(message), limit, sent).has_value());
    CHECK(sent < message.size());
    Octets arrived(sent);
    CHECK(channel.receiver.recv_n(MutableOctetSpan(arrived), 1h).value() == Received::octets(sent));
    std::byte more{};
    CHECK(channel.receiver.recv(MutableOctetSpan(&more, 1), no_wait).error() ==
          std::errc::operation_would_block);
    CHECK((arrived == Octets(message.begin(), message.begin() + std::ptrdiff_t(sent))));
  }
}

TEST_CASE_TEMPLATE("an exact transfer in segments reports how much it moved before an error", Over,
                   EVERY_CHANNEL) {
  if (!is_here<Over>()) return;
  auto channel = channel_over<Over>();
  REQUIRE(channel.sender.send_n(octets(1, 2, 3)).has_value());
  Octets arrived(10);
  const std::array<MutableOctetSpan, 2> spaces{MutableOctetSpan(arrived).first(2),
                                               MutableOctetSpan(arrived).subspan(2)};
  std::size_t moved = 0;
  CHECK(channel.receiver.recv_n(spaces, 1ms, moved).error() == std::errc::timed_out);
  CHECK(moved == 3);
  CHECK(arrived[2] == std::byte{3});
  REQUIRE(channel.sender.send_n(octets(4)).has_value());
  channel.sender.close();
  CHECK(channel.receiver.recv_n(spaces, 1h, moved).value() == Received::end(1));
  CHECK(moved == 1);
}

TEST_CASE_TEMPLATE("a sender whose peer disconnects in the middle gets an error", Over,
                   EVERY_CHANNEL) {
  if (!is_here<Over>()) return;
  const SigpipeIgnored for_pipes;
  const auto before = open_handles();
  for (const TimeLimit limit : {forever, TimeLimit(1h)}) {
    auto channel = channel_over<Over>();
    std::jthread peer([&] {
      Octets space(50'000);
      CHECK(channel.receiver.recv_n(MutableOctetSpan(space)).value() == Received::octets(50'000));
      channel.receiver.close();
    });
    const Octets message(32u << 20);
    std::size_t moved = 0;
    const auto sent = channel.sender.send_n(OctetSpan(message), limit, moved);
    peer.join();
    REQUIRE_FALSE(sent.has_value());
    CHECK(moved >= 50'000);
    CHECK(moved < message.size());
    CHECK_MESSAGE(says_that_the_peer_is_gone(sent.error()), sent.error().message());
    CHECK(channel.sender.send(octets(1), limit).error() == std::errc::broken_pipe);
  }
  CHECK(open_handles() == before);
}

TEST_CASE_TEMPLATE("a receiver whose peer disconnects gets all sent octets, and then the end", Over,
                   EVERY_CHANNEL) {
  if (!is_here<Over>()) return;
  const Octets message = sample(123'457);
  for (const TimeLimit limit : {forever, TimeLimit(1h)}) {
    auto channel = channel_over<Over>();
    std::jthread peer([&] {
      CHECK(channel.sender.send_n(OctetSpan(message)).has_value());
      channel.sender.close();
    });
    Octets space(1'000'000);
    const auto received = channel.receiver.recv_n(MutableOctetSpan(space), limit).value();
    CHECK(received == Received::end(message.size()));
    space.resize(received.count());
    CHECK((space == message));
    CHECK(channel.receiver.recv(MutableOctetSpan(space), limit).value() == Received::end());
  }
}

TEST_CASE_TEMPLATE("a process killed in the middle leaves the octets that it had sent, and the end",
                   Over, EVERY_CHANNEL) {
  if (!is_here<Over>()) return;
  auto channel = channel_over<Over>();
  const Octets message = sample(1000);
  const pid_t child = fork();
  REQUIRE(child != -1);
  if (child == 0) {
    if (!channel.sender.send_n(OctetSpan(message))) _exit(1);
    raise(SIGKILL);
  }
  channel.sender.close();
  Octets space(2000);
  CHECK(channel.receiver.recv_n(MutableOctetSpan(space), 1h).value() == Received::end(1000));
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
}

TEST_CASE_TEMPLATE("a connection that is reset is an error, never the end of the stream", Over,
                   EVERY_TCP) {
  if (!is_here<Over>()) return;
  for (const TimeLimit limit : {forever, TimeLimit(1h)}) {
    auto connection = connection_over<Over>();
    std::jthread peer([&] {
      REQUIRE(connection.client.set(Linger{std::chrono::seconds(0)}).has_value());
      connection.client.close();
    });
    Octets space(10);
    CHECK(connection.server.recv_n(MutableOctetSpan(space), limit).error() ==
          std::errc::connection_reset);
    peer.join();
    CHECK(connection.server.send(octets(1), limit).error() == std::errc::broken_pipe);
  }
}

TEST_CASE("records arrive whole or not at all, with short queues and after the peer has closed") {
  auto streams = spipe::pair().value();
  REQUIRE(streams.first.set(SendBuffer{1}).has_value());
  const Octets record = sample(1500);
  int sent = 0;
  while (streams.first.send(OctetSpan(record), no_wait)) ++sent;
  CHECK(streams.first.send(OctetSpan(record), 1ms).error() == std::errc::timed_out);
  REQUIRE(sent > 0);
  streams.first.close();
  Octets space(4000);
  for (int count = 0; count < sent; ++count) {
    const auto received = streams.second.recv(MutableOctetSpan(space), 1h).value();
    CHECK(received == Received::octets(record.size()));
    CHECK((Octets(space.begin(), space.begin() + 1500) == record));
  }
  CHECK(streams.second.recv(MutableOctetSpan(space), 1h).value() == Received::end());
  CHECK(says_that_the_peer_is_gone(streams.second.send(octets(1)).error()));
}

}  // namespace
}  // namespace perigee::ipc
