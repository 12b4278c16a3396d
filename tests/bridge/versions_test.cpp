// GIOP versions, byte orders and alignment. The phase of a body is its position modulo 8. The
// bridge keeps the phase of a body, or refuses the message.
#include "bridge/bridged.h"
#include "bridge/raw_body.h"
#include <perigee/giop/giop.h>

#include <random>

using namespace perigee;
using namespace perigee::test;
using bridge::RawBody;
using messaging::Version;

namespace {

const messaging::MessagingProtocol& giop_protocol() {
  static const auto protocol = giop::make_giop();
  return *protocol;
}

messaging::IncomingMessage incoming(const Octets& octets) {
  messaging::IncomingMessage message;
  message.version = {std::to_integer<std::uint8_t>(octets[4]),
                     std::to_integer<std::uint8_t>(octets[5])};
  message.order =
      (octets[6] & std::byte{1}) != std::byte{0} ? std::endian::little : std::endian::big;
  message.octets = octets;
  return message;
}

/// A request with a body of one octet and a double, which shows its alignment.
Octets encode_request(const messaging::Session& session, Version version, std::endian order,
                      const messaging::RequestHeader& header) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order);
  session.begin_request(encoder, version, header, messaging::Body::present);
  encoder.write(std::uint8_t{7});
  encoder.write(2.5);
  session.finish(encoder);
  return buffer.flatten();
}

}  // namespace

TEST_CASE("a body that is passed on in its own version decodes to the same values") {
  const auto session = giop_protocol().open(messaging::Role::opener, {});
  std::mt19937 random(7);
  messaging::ContextStorage contexts;
  messaging::ContextStorage made_contexts;
  for (int round = 0; round < 2000; ++round) {
    const Octets key(random() % 20 + 1, std::byte{'k'});
    const Octets principal(random() % 9, std::byte{'p'});
    const std::string operation(random() % 20 + 1, 'o');
    const Octets data(random() % 12, std::byte{'d'});
    const iop::ServiceContext context{99, data};
    const Version version{1, static_cast<std::uint8_t>(random() % 3)};
    const std::endian order = random() % 2 != 0 ? std::endian::big : std::endian::little;
    const Octets sent = encode_request(*session, version, order,
                                       {.object_key = key,
                                        .operation = operation,
                                        .contexts = {&context, random() % 2},
                                        .principal = principal});
    const auto message = incoming(sent);
    auto parsed = session->parse_request(message, contexts);
    REQUIRE(parsed);
    const auto body = RawBody::of(message, parsed->body);
    REQUIRE(body);
    // The key changes its length, and a context is added: both move the body.
    messaging::RequestHeader header = parsed->header;
    const Octets other_key(random() % 20 + 1, std::byte{'q'});
    header.object_key = other_key;
    made_contexts.assign(header.contexts.begin(), header.contexts.end());
    const Octets more(random() % 12, std::byte{'m'});
    if (random() % 2 != 0) made_contexts.push_back({98, more});
    header.contexts = made_contexts;
    cdr::Buffer buffer;
    REQUIRE(bridge::write_request(buffer, *session, version, {header, made_contexts}, *body));
    const Octets passed = buffer.flatten();
    const auto received = incoming(passed);
    auto again = session->parse_request(received, contexts);
    REQUIRE(again);
    CHECK(again->header.operation == operation);
    CHECK(again->body.read<std::uint8_t>() == 7);
    CHECK(again->body.read<double>() == 2.5);
    CHECK(again->body.ok());
    CHECK(again->body.remaining() == 0);
  }
}

TEST_CASE("a body of any phase passes to 1.0 and 1.1, but only a body of phase 0 passes to 1.2") {
  const auto session = giop_protocol().open(messaging::Role::opener, {});
  messaging::ContextStorage contexts;
  const Octets octets(8, std::byte{1});
  for (const std::uint8_t phase : {std::uint8_t{0}, std::uint8_t{4}}) {
    for (const std::uint8_t minor : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
      messaging::RequestHeader header{.object_key = key_k, .operation = "f"};
      cdr::Buffer buffer;
      const RawBody body{octets, std::endian::native, phase};
      const bool passes =
          bridge::write_request(buffer, *session, {1, minor}, {header, contexts}, body);
      CHECK(passes == (phase == 0 || minor < 2));
    }
  }
  messaging::RequestHeader header{.object_key = key_k, .operation = "f"};
  cdr::Buffer buffer;  // an empty body has no phase
  CHECK(bridge::write_request(buffer, *session, {1, 2}, {header, contexts}, {}));
}

TEST_CASE("each version and byte order passes, and the reply has the version of the request") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const unsigned minor : {0u, 1u, 2u}) {
      Bridged ends;
      RawClient client = ends.connect();
      client.send(make_request({.key = key_k,
                                .id = 3,
                                .operation = "operation",
                                .minor = minor,
                                .order = order,
                                .argument = 0x0a0b0c0d}));
      RawClient target = ends.target.accept();
      const Octets request = target.receive_part(4096);
      CHECK(std::to_integer<unsigned>(request[5]) == minor);
      CHECK((std::to_integer<unsigned>(request[6]) & 1) ==
            (order == std::endian::little ? 1u : 0u));
      const Octets last(request.end() - 4, request.end());
      CHECK(last == (order == std::endian::little ? octets(0x0d, 0x0c, 0x0b, 0x0a)
                                                  : octets(0x0a, 0x0b, 0x0c, 0x0d)));
      CHECK(request.size() % 4 == 0);
    }
  }
}

TEST_CASE("a target of 1.0 gets requests of 1.0 only, and its replies pass to a client of 1.2") {
  Bridged ends([](bridge::Options& options) { options.target_version = {1, 0}; });
  RawClient client = ends.connect();
  client.send(make_request({.key = key_k, .id = 3, .argument = 5}));
  RawClient target = ends.target.accept();
  const Octets request = target.receive();
  CHECK(request[5] == std::byte{0});
  std::uint32_t id = 0;  // follows the contexts
  {
    const auto session = giop_protocol().open(messaging::Role::acceptor, {});
    messaging::ContextStorage contexts;
    const auto message = incoming(request);
    auto parsed = session->parse_request(message, contexts);
    REQUIRE(parsed);
    id = parsed->header.request_id;
    CHECK(parsed->body.read<std::uint32_t>() == 5);
    CHECK(parsed->body.ok());
  }
  Writer reply(std::endian::native);
  begin_message(reply, 0, std::endian::native, 1);
  reply.ulong(0).ulong(id).ulong(0).ulong(42);
  target.send(finish(reply, std::endian::native));
  const RawReply received = client.reply();
  CHECK(received.minor() == 2);
  CHECK(received.id() == 3);
  CHECK(received.result() == 42);
}

TEST_CASE("the client gets MARSHAL, COMPLETED_YES, if the results would lose their alignment") {
  Bridged ends([](bridge::Options& options) { options.target_version = {1, 0}; });
  RawClient client = ends.connect();
  client.send(make_request({.key = key_k, .id = 3}));
  RawClient target = ends.target.accept();
  const Octets request = target.receive();
  const auto session = giop_protocol().open(messaging::Role::acceptor, {});
  messaging::ContextStorage contexts;
  const auto message = incoming(request);
  const auto parsed = session->parse_request(message, contexts);
  REQUIRE(parsed);
  Writer reply(std::endian::native);
  begin_message(reply, 0, std::endian::native, 1);
  reply.ulong(1).ulong(77).ulong(4).ulong(1);  // a context of twelve octets
  reply.ulong(parsed->header.request_id).ulong(0).ulong(42);
  target.send(finish(reply, std::endian::native));
  const RawReply received = client.reply();
  CHECK(received.repository_id() == "IDL:omg.org/CORBA/MARSHAL:1.0");
  CHECK(received.completed() == 0);
}

TEST_CASE("fragments of 1.1 pass as the same fragments, and keep their values") {
  Bridged ends;
  RawClient client = ends.connect();
  // The fragments begin at positions where alignment counts anew: the double follows four octets of
  // padding, as after any header of twelve octets.
  Writer first(std::endian::native);
  begin_message(first, 1, std::endian::native, 0);
  first.ulong(0).ulong(9).octet(1).octet(0).octet(0).octet(0);
  first.sequence(key_k).text("f").ulong(0).ulong(1);
  Octets head = finish(first, std::endian::native);
  head[6] |= std::byte{2};
  Writer second(std::endian::native);
  begin_message(second, 1, std::endian::native, 7);
  second.align(8).ulong(0x11111111).ulong(0x22222222);
  client.send(head + finish(second, std::endian::native));
  RawClient target = ends.target.accept();
  const RawReply received(target.receive());
  CHECK(received.octet(6) == 3);  // more fragments follow
  CHECK(received.ulong(received.message.size() - 4) == 1);
  const RawReply rest(target.receive());
  CHECK(rest.type() == 7);
  CHECK(rest.octet(6) == 1);
  CHECK(rest.ulong(16) == 0x11111111);
  CHECK(rest.ulong(20) == 0x22222222);
}

TEST_CASE("the bridge speaks GIOPlite to a target that reads it, after the first reply") {
  Bridged ends([](bridge::Options& options) { options.lite_to_target = true; });
  RawClient client = ends.connect();
  client.send(make_request({.key = key_k}));
  RawClient target = ends.target.accept();
  target.send(make_reply(RawReply(target.receive()).ulong(12), 1));
  CHECK(client.reply().result() == 1);
  client.send(make_request({.key = key_k, .argument = 3}));
  const Octets begin = target.receive_part(64);
  CHECK(begin[0] != std::byte{'G'});
  CHECK(begin.size() < make_request({.key = key_k, .argument = 3}).size());
}
