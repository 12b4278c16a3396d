// Sending: a large 1.2 message is cut into fragments while it is gathered. No payload is copied.
#include "giop/wire.h"
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

namespace perigee::giop::test {
namespace {

using messaging::Body;
using messaging::ReplyStatus;
using messaging::Version;

/// Octets of `segments` in one piece.
Octets joined(const std::vector<OctetSpan>& segments) {
  Octets octets;
  for (const OctetSpan segment : segments)
    octets.insert(octets.end(), segment.begin(), segment.end());
  return octets;
}

struct Sent {
  std::vector<OctetSpan> segments;
  Octets headers;
};

void encode_reply(const OpenGiop& fragmenting, cdr::Encoder& encoder, Version version,
                  OctetSpan payload) {
  fragmenting->begin_reply(encoder, version, {0x0a0b0c0d, ReplyStatus::no_exception},
                           Body::present);
  encoder.write_length(payload.size());
  encoder.write_octets(payload);
  encoder.write(std::uint32_t{0x55});
  fragmenting->finish(encoder);
  REQUIRE(encoder.ok());
}

TEST_CASE("each fragment of a large message has a header and the request id") {
  const auto fragmenting = open_giop({.fragment_size = 40});
  for (const std::endian order : both_orders) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer, order);
    encode_reply(fragmenting, encoder, {1, 2},
                 octets_from("0123456789abcdefghijklmnopqrstuvwxyzABCD"));
    Sent sent;
    fragmenting->gather(buffer, sent.segments, sent.headers);
    CHECK(hex(joined(sent.segments)) == hex(Wire(order)
                                                .frame({1, 2}, 1, 28, 2)  // 40 octets, more
                                                .ulong(0x0a0b0c0d)        // request id
                                                .ulong(0)                 // NO_EXCEPTION
                                                .ulong(0)                 // no contexts
                                                .ulong(40)                // length
                                                .text("0123456789ab")
                                                .frame({1, 2}, 7, 28, 2)  // Fragment, more
                                                .ulong(0x0a0b0c0d)
                                                .text("cdefghijklmnopqrstuvwxyz")
                                                .frame({1, 2}, 7, 12)  // Fragment, the last
                                                .ulong(0x0a0b0c0d)
                                                .text("ABCD")
                                                .ulong(0x55)
                                                .get()));
  }
}

TEST_CASE("messages that need not or may not be fragmented are sent whole") {
  const auto fragmenting = open_giop({.fragment_size = 64});
  const auto gathered = [&](Version version, std::size_t payload_size) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    encode_reply(fragmenting, encoder, version, pattern(payload_size));
    Sent sent;
    fragmenting->gather(buffer, sent.segments, sent.headers);
    CHECK((hex(joined(sent.segments)) == hex(buffer.flatten())) == sent.headers.empty());
    return sent.headers.empty();
  };
  CHECK(gathered({1, 2}, 64 - 32));        // exactly the fragment size
  CHECK_FALSE(gathered({1, 2}, 64 - 31));  // with padding, 4 octets more
  // Fragments of 1.1 are accepted, but never sent (interop fact 8 of docs/interop.md).
  CHECK(gathered({1, 1}, 1000));
  CHECK(gathered({1, 0}, 1000));
}

TEST_CASE("a CancelRequest is never fragmented") {
  const auto fragmenting = open_giop({.fragment_size = 8});
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  fragmenting->encode_cancel_request(encoder, {1, 2}, 7);
  Sent sent;
  fragmenting->gather(buffer, sent.segments, sent.headers);
  CHECK(sent.segments.size() == 1);
  CHECK(sent.headers.empty());
}

TEST_CASE("borrowed payload is sent without a copy") {
  const auto fragmenting = open_giop({.fragment_size = 10'000});
  const Octets payload = pattern(50'001);
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, std::endian::native, cdr::Encoder::Borrowing::yes);
  encode_reply(fragmenting, encoder, {1, 2}, payload);
  REQUIRE(buffer.borrowed().size() == 1);
  Sent sent;
  fragmenting->gather(buffer, sent.segments, sent.headers);
  std::size_t from_payload = 0;
  for (const OctetSpan segment : sent.segments)
    if (segment.data() >= payload.data() && segment.data() < payload.data() + payload.size())
      from_payload += segment.size();
  CHECK(from_payload == payload.size());
  CHECK(sent.headers.size() == 12 + 5 * 16);
}

TEST_CASE("fragments of any size, put together, give the encoded message") {
  for (const std::size_t payload_size : {0u, 1u, 100u, 8191u, 8192u, 8193u, 20'000u}) {
    const Octets payload = pattern(payload_size);
    for (const std::uint32_t fragment_size : {0u, 32u, 39u, 64u, 1000u, 8192u, 8200u, 16'384u}) {
      const auto fragmenting = open_giop({.fragment_size = fragment_size});
      for (const std::endian order : both_orders) {
        cdr::Buffer buffer;
        cdr::Encoder encoder(buffer, order, cdr::Encoder::Borrowing::yes);
        encode_reply(fragmenting, encoder, {1, 2}, payload);
        Sent sent;
        fragmenting->gather(buffer, sent.segments, sent.headers);
        const ReadResult result = read_all(*fragmenting, joined(sent.segments));
        REQUIRE(result.messages.size() == 1);
        REQUIRE(result.messages[0].octets == hex(buffer.flatten()));
      }
    }
  }
}

TEST_CASE("borrowed octets at the ends of fragments, and across them, are sent in order") {
  const auto fragmenting = open_giop({.fragment_size = 9000});
  const Octets first = pattern(9000 - 28);  // ends where the first piece ends
  const Octets second = pattern(8192);
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, std::endian::native, cdr::Encoder::Borrowing::yes);
  fragmenting->begin_request(encoder, {1, 2}, {.request_id = 3}, Body::present);
  encoder.write_octets(first);
  encoder.write_octets(second);
  encoder.write(std::uint8_t{1});
  encoder.write_octets(second);
  fragmenting->finish(encoder);
  REQUIRE(buffer.borrowed().size() == 3);
  Sent sent;
  fragmenting->gather(buffer, sent.segments, sent.headers);
  const ReadResult result = read_all(*fragmenting, joined(sent.segments));
  REQUIRE(result.messages.size() == 1);
  CHECK(result.messages[0].octets == hex(buffer.flatten()));
}

}  // namespace
}  // namespace perigee::giop::test
