// The cost of a call in the steady state: one send, one receive, no allocation.
#include "orb/fixture.h"
#include "support/allocations.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace perigee::test {

namespace {

// The reply to every request, made once, so that the peer allocates nothing.
class CannedReply {
 public:
  OnMessage on_message() {
    return [this](ScriptedTransport& transport, const IncomingMessage& message) {
      // GIOP 1.2: the request id follows the header of both messages.
      reply_.resize(28, std::byte{0});
      const Octets head = {std::byte{'G'}, std::byte{'I'}, std::byte{'O'}, std::byte{'P'},
                           std::byte{1},   std::byte{2},   std::byte{1},   std::byte{1},
                           std::byte{16},  std::byte{0},   std::byte{0},   std::byte{0}};
      std::copy(head.begin(), head.end(), reply_.begin());
      std::copy_n(message.octets.begin() + 12, 4, reply_.begin() + 12);
      reply_[24] = std::byte{42};  // the result: a long
      transport.deliver(reply_);
    };
  }

 private:
  Octets reply_;
};

}  // namespace

TEST_CASE("a call costs one send and one receive") {
  Fixture fixture;
  CannedReply canned;
  fixture.peer("peer", canned.on_message());
  const auto object = fixture.object({"peer"});
  CHECK(echo(object) == 42);
  const std::size_t sends = fixture.counts("peer").sends;
  const std::size_t receives = fixture.counts("peer").receives;
  for (int call = 0; call < 100; ++call) CHECK(echo(object) == 42);
  CHECK(fixture.counts("peer").sends - sends == 100);
  CHECK(fixture.counts("peer").receives - receives == 100);
  CHECK(fixture.counts("peer").connects == 1);
}

TEST_CASE("a call with fixed-size arguments allocates nothing") {
  Fixture fixture;
  // The peer works in the caller's thread and allocates its message buffers: count without it.
  CannedReply canned;
  std::size_t in_peer = 0;
  const OnMessage answer = canned.on_message();
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    in_peer += allocations_of([&] { answer(transport, message); }).count;
  });
  const auto object = fixture.object({"peer"});
  for (int call = 0; call < 3; ++call) (void)echo(object);
  in_peer = 0;
  const Allocations total = allocations_of([&] {
    for (int call = 0; call < 100; ++call) (void)echo(object);
  });
  CHECK(total.count == in_peer);
}

TEST_CASE("nested calls while arguments are encoded use other buffers and connections") {
  Fixture fixture;
  CannedReply canned;
  fixture.peer("peer", canned.on_message());
  const auto object = fixture.object({"peer"});
  std::int32_t inner = 0;
  stub::invoke(
      *object, ping_operation,
      [&](cdr::Encoder& encoder) {
        inner = echo(object);
        encoder.write(inner);
      },
      nullptr);
  CHECK(inner == 42);
  CHECK(fixture.counts("peer").connects == 2);
}

TEST_CASE("a oneway returns when the transport has taken it, and receives nothing") {
  Fixture fixture;
  fixture.peer("peer", {});
  const auto object = fixture.object({"peer"});
  stub::invoke(*object, notify_operation, nullptr, nullptr);
  CHECK(fixture.counts("peer").sends == 1);
  CHECK(fixture.counts("peer").receives == 0);
}

TEST_CASE("a large argument is sent from the caller's memory, in fragments, and arrives whole") {
  Fixture fixture;
  const Octets data(3'000'000, std::byte{7});
  std::size_t arrived = 0;
  fixture.peer("peer", [&](ScriptedTransport& transport, const IncomingMessage& message) {
    messaging::ContextStorage contexts;
    auto request = giop_session().parse_request(message, contexts);
    arrived = request->body.read_octet_sequence().size();
    send_reply(transport, message, ReplyStatus::no_exception);
  });
  stub::invoke(
      *fixture.object({"peer"}), ping_operation,
      [&](cdr::Encoder& encoder) {
        encoder.write_length(data.size());
        encoder.write_octets(data);
      },
      nullptr);
  CHECK(arrived == data.size());
  CHECK(fixture.counts("peer").sends == 1);
}

}  // namespace perigee::test
