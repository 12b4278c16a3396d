// GIOPlite: golden octets, messages that are sent in GIOP instead, and hostile headers.
#include "giop/wire.h"
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

namespace perigee::giop::test {
namespace {

using messaging::Body;
using messaging::FramingError;
using messaging::LocateStatus;
using messaging::MessageKind;
using messaging::ReplyStatus;
using messaging::ResponseFlags;

const Octets key = octets_from("obj7");

/// The bits of the second octet.
unsigned bits(std::endian order, unsigned type, unsigned information) {
  return type | (order == std::endian::little ? 2u : 0u) | information << 2;
}

Octets request(std::endian order, const messaging::RequestHeader& header,
               messaging::Version version = lite_version) {
  return encoded(order, [&](cdr::Encoder& encoder) {
    giop->begin_request(encoder, version, header, Body::present);
    encoder.write(std::uint32_t{0x01020304});
    giop->finish(encoder);
    CHECK(encoder.ok());
  });
}

Octets reply(std::endian order, const messaging::ReplyHeader& header,
             messaging::Version version = lite_version) {
  return encoded(order, [&](cdr::Encoder& encoder) {
    giop->begin_reply(encoder, version, header, Body::present);
    encoder.write(std::uint32_t{0x01020304});
    giop->finish(encoder);
  });
}

/// Takes one message out of the octets and passes it to a function.
void with_message(const Octets& octets,
                  const std::function<void(const messaging::IncomingMessage&)>& look) {
  const auto reader = make_reader(*giop);
  Octets scratch(4096);
  const MutableOctetSpan space = reader->receive_space(scratch);
  std::ranges::copy(octets, space.begin());
  reader->received(octets.size());
  messaging::IncomingMessage message;
  REQUIRE(reader->next(message) == perigee::test::Next::message);
  look(message);
}

FramingError error_of(const Octets& octets) {
  Feeder feeder(*giop);
  feeder.feed(octets, octets.size());
  REQUIRE(feeder.result().failed);
  return feeder.result().error;
}

bool is_giop(const Octets& octets) { return text_from(OctetSpan(octets).first(4)) == "GIOP"; }

}  // namespace

TEST_CASE("a request in GIOPlite has the expected octets") {
  for (const std::endian order : both_orders) {
    const Octets octets = request(order, {5, ResponseFlags::with_target, key, "add", {}, {}});
    Wire expected(order);
    expected.octet(0xb5).octet(bits(order, 0, 3)).zeros(2).ulong(28);
    expected.ulong(5);                       // request id
    expected.ulong(4).text("obj7");          // object key
    expected.ulong(4).text("add").octet(0);  // operation
    expected.zeros(4).ulong(0x01020304);     // the body is aligned to 8
    CHECK(hex(octets) == hex(expected.get()));
    with_message(octets, [&](const messaging::IncomingMessage& message) {
      CHECK(message.kind == MessageKind::request);
      CHECK(message.version == lite_version);
      CHECK(message.order == order);
      messaging::ContextStorage contexts;
      auto parsed = giop->parse_request(message, contexts);
      REQUIRE(parsed);
      CHECK(parsed->header.request_id == 5);
      CHECK(parsed->header.response == ResponseFlags::with_target);
      CHECK(text_from(parsed->header.object_key) == "obj7");
      CHECK(parsed->header.operation == "add");
      CHECK(parsed->header.contexts.empty());
      CHECK(parsed->body.read<std::uint32_t>() == 0x01020304);
    });
  }
}

TEST_CASE("a reply in GIOPlite has the expected octets, with each status") {
  for (const std::endian order : both_orders)
    for (std::uint32_t status = 0; status <= 5; ++status) {
      const Octets octets = reply(order, {7, static_cast<ReplyStatus>(status), {}});
      Wire expected(order);
      expected.octet(0xb5).octet(bits(order, 1, status)).zeros(2).ulong(12);
      expected.ulong(7);
      expected.zeros(4).ulong(0x01020304);
      CHECK(hex(octets) == hex(expected.get()));
      with_message(octets, [&](const messaging::IncomingMessage& message) {
        messaging::ContextStorage contexts;
        auto parsed = giop->parse_reply(message, contexts);
        REQUIRE(parsed);
        CHECK(parsed->header.request_id == 7);
        CHECK(parsed->header.status == static_cast<ReplyStatus>(status));
        CHECK(parsed->body.read<std::uint32_t>() == 0x01020304);
      });
    }
}

TEST_CASE("GIOPlite requests are 16 octets shorter than in GIOP, replies 8, or 12 without a body") {
  const messaging::RequestHeader header{5, ResponseFlags::with_target, key, "add", {}, {}};
  const std::endian order = std::endian::native;
  CHECK(request(order, header).size() + 16 == request(order, header, {1, 2}).size());
  const messaging::ReplyHeader answer{5, ReplyStatus::no_exception, {}};
  CHECK(reply(order, answer).size() + 8 == reply(order, answer, {1, 2}).size());
  const auto empty = [&](messaging::Version version) {
    return encoded(order, [&](cdr::Encoder& encoder) {
      giop->begin_reply(encoder, version, answer, Body::empty);
      giop->finish(encoder);
    });
  };
  CHECK(empty(lite_version).size() == 12);
  CHECK(empty({1, 2}).size() == 24);
}

TEST_CASE("GIOPlite carries all response flags") {
  for (const auto flags :
       {ResponseFlags::none, ResponseFlags::with_server, ResponseFlags::with_target})
    with_message(request(std::endian::native, {5, flags, key, "add", {}, {}}),
                 [&](const messaging::IncomingMessage& message) {
                   messaging::ContextStorage contexts;
                   CHECK(giop->parse_request(message, contexts)->header.response == flags);
                 });
}

TEST_CASE("messages that GIOPlite cannot express are sent in GIOP 1.2 on the same connection") {
  const std::endian order = std::endian::native;
  const Octets data = octets_from("x");
  const std::vector<iop::ServiceContext> contexts = {{1, data}};
  const iop::Ior target{"IDL:T:1.0", {{iop::tag_internet_iop, octets_from("profile")}}};
  messaging::RequestHeader with_profile{5, ResponseFlags::with_target, key, "add", {}};
  with_profile.addressing = messaging::AddressingMode::profile;
  with_profile.target = &target;
  Octets stream;
  const auto check = [&](const Octets& octets, unsigned type) {
    CHECK(is_giop(octets));
    CHECK(octets[4] == std::byte{1});
    CHECK(octets[5] == std::byte{2});
    CHECK(octets[7] == static_cast<std::byte>(type));
    stream.insert(stream.end(), octets.begin(), octets.end());
    const Octets lite = request(order, {9, ResponseFlags::none, key, "between", {}, {}});
    stream.insert(stream.end(), lite.begin(), lite.end());
  };
  check(request(order, {5, ResponseFlags::with_target, key, "add", contexts, {}}), 0);
  check(request(order, with_profile), 0);
  check(reply(order, {5, ReplyStatus::no_exception, contexts}), 1);
  check(encoded(
            order,
            [&](cdr::Encoder& encoder) { giop->encode_cancel_request(encoder, lite_version, 5); }),
        2);
  check(encoded(order,
                [&](cdr::Encoder& encoder) {
                  giop->encode_locate_request(encoder, lite_version, {5, key});
                }),
        3);
  check(encoded(order,
                [&](cdr::Encoder& encoder) {
                  giop->begin_locate_reply(encoder, lite_version, {5, LocateStatus::object_here});
                  giop->finish(encoder);
                }),
        4);
  check(
      encoded(order,
              [&](cdr::Encoder& encoder) { giop->encode_close_connection(encoder, lite_version); }),
      5);
  check(encoded(order,
                [&](cdr::Encoder& encoder) { giop->encode_message_error(encoder, lite_version); }),
        6);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, stream.size()}) {
    Feeder feeder(*giop);
    feeder.feed(stream, piece);
    CHECK_FALSE(feeder.result().failed);
    REQUIRE(feeder.result().messages.size() == 16);
    for (std::size_t index = 1; index < 16; index += 2)
      CHECK(feeder.result().messages[index].version == lite_version);
  }
}

TEST_CASE("a large message is sent whole, and read into its own storage") {
  const Octets body = pattern(3 << 20);
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  giop->begin_request(encoder, lite_version, {5, ResponseFlags::none, key, "add", {}, {}},
                      Body::present);
  encoder.write_octets(body);
  giop->finish(encoder);
  std::vector<OctetSpan> segments;
  Octets fragment_headers;
  giop->gather(buffer, segments, fragment_headers);
  CHECK(fragment_headers.empty());
  const auto reader = make_reader(*giop);
  Octets scratch(1024);
  OctetSpan rest = buffer.own_octets();
  messaging::IncomingMessage message;
  while (reader->next(message) == perigee::test::Next::need_more) {
    const MutableOctetSpan space = reader->receive_space(scratch);
    const std::size_t count = std::min(space.size(), rest.size());
    std::copy_n(rest.begin(), count, space.begin());
    rest = rest.subspan(count);
    reader->received(count);
  }
  messaging::ContextStorage contexts;
  auto parsed = giop->parse_request(message, contexts);
  REQUIRE(parsed);
  CHECK(std::ranges::equal(parsed->body.read_octets(body.size()), body));
}

TEST_CASE("hostile headers of GIOPlite are refused") {
  const Octets good = request(std::endian::little, {5, ResponseFlags::none, key, "add", {}, {}});
  const auto with = [&](std::size_t place, unsigned value) {
    Octets octets = good;
    octets[place] = static_cast<std::byte>(value);
    return octets;
  };
  CHECK(error_of(with(1, 0x22)) == FramingError::bad_type);   // a bit without a meaning
  CHECK(error_of(with(3, 1)) == FramingError::bad_type);      // an octet without a meaning
  CHECK(error_of(with(7, 0xff)) == FramingError::too_large);  // 4 GB
  Octets short_one = with(4, 3);                              // not even a request id
  CHECK(error_of(short_one) == FramingError::bad_header);
  messaging::ContextStorage contexts;
  for (const unsigned flags : {2u, 4u, 5u, 6u, 7u})
    with_message(with(1, 2 | flags << 2), [&](const messaging::IncomingMessage& message) {
      CHECK_FALSE(giop->parse_request(message, contexts));
    });
  for (const unsigned status : {6u, 7u})
    with_message(with(1, 3 | status << 2), [&](const messaging::IncomingMessage& message) {
      CHECK_FALSE(giop->parse_reply(message, contexts));
    });
  with_message(with(12, 0xff), [&](const messaging::IncomingMessage& message) {  // the key's length
    CHECK_FALSE(giop->parse_request(message, contexts));
  });
}

}  // namespace perigee::giop::test
