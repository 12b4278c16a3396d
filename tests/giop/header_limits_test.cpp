// Headers with sizes and counts that are wrong or too large: they are errors, and allocate no
// memory for the promised data.
#include "giop/wire.h"
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

namespace perigee::giop::test {
namespace {

using messaging::Body;
using messaging::FramingError;
using messaging::Version;

Octets request_with_contexts(Version version, std::size_t count) {
  const Octets data = octets_from("x");
  const std::vector<iop::ServiceContext> contexts(count, {9, data});
  return encoded(std::endian::big, [&](cdr::Encoder& encoder) {
    giop->begin_request(encoder, version, {.operation = "f", .contexts = contexts}, Body::empty);
    giop->finish(encoder);
  });
}

TEST_CASE("service contexts are limited in number") {
  messaging::ContextStorage contexts;
  for (const Version version : all_versions) {
    const Octets many = request_with_contexts(version, 64);
    CHECK(giop->parse_request(incoming(many), contexts)->header.contexts.size() == 64);
    const Octets too_many = request_with_contexts(version, 65);
    CHECK(giop->parse_request(incoming(too_many), contexts).error() == FramingError::too_large);
  }
}

TEST_CASE("a reply's service contexts are limited too") {
  const auto two = open_giop({.service_contexts_max = 2});
  const std::vector<iop::ServiceContext> sent(3);
  messaging::ContextStorage contexts;
  for (const Version version : all_versions) {
    const Octets octets = encoded(std::endian::little, [&](cdr::Encoder& encoder) {
      giop->begin_reply(encoder, version, {.contexts = sent}, Body::empty);
      giop->finish(encoder);
    });
    CHECK(giop->parse_reply(incoming(octets), contexts)->header.contexts.size() == 3);
    CHECK(two->parse_reply(incoming(octets), contexts).error() == FramingError::too_large);
  }
}

TEST_CASE("2^32-1 service contexts in a short message are a bad header") {
  const Octets reply = Wire().frame({1, 2}, 1, 12).ulong(1).ulong(0).ulong(0xffffffff);
  messaging::ContextStorage contexts;
  CHECK(giop->parse_reply(incoming(reply), contexts).error() == FramingError::bad_header);
  CHECK(contexts.capacity() == 0);
}

/// Checks that `parse` refuses each prefix of `octets` that ends within the header.
template <typename Parse>
void check_prefixes(const Octets& octets, std::size_t header_end, Parse parse) {
  for (std::size_t size = 12; size < header_end; ++size) {
    const Octets cut(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size));
    const auto result = parse(incoming(cut));
    REQUIRE_FALSE(result);
    CHECK(result.error() == FramingError::bad_header);
  }
  CHECK(parse(incoming(octets)));
}

TEST_CASE("a header that is truncated anywhere is a bad header") {
  messaging::ContextStorage contexts;
  for (const Version version : all_versions) {
    const Octets request = request_with_contexts(version, 2);
    check_prefixes(request, request.size(),
                   [&](const auto& message) { return giop->parse_request(message, contexts); });
    const Octets locate = encoded(std::endian::big, [&](cdr::Encoder& encoder) {
      const Octets key = octets_from("key");
      giop->encode_locate_request(encoder, version, {.object_key = key});
    });
    check_prefixes(locate, locate.size(),
                   [&](const auto& message) { return giop->parse_locate_request(message); });
    const Octets reply = Wire().frame(version, 1, 12).ulong(0).ulong(0).ulong(0);
    check_prefixes(reply, 24,
                   [&](const auto& message) { return giop->parse_reply(message, contexts); });
    const Octets located = Wire().frame(version, 4, 8).ulong(0).ulong(0);
    check_prefixes(located, 20,
                   [&](const auto& message) { return giop->parse_locate_reply(message); });
    const Octets cancel = Wire().frame(version, 2, 4).ulong(0);
    check_prefixes(cancel, 16,
                   [&](const auto& message) { return giop->parse_cancel_request(message); });
  }
}

// Interop fact 12 of docs/interop.md.
TEST_CASE("octets after a header without a body are ignored") {
  const Octets cancel = Wire().frame({1, 2}, 2, 9).ulong(5).text("waste");
  CHECK(giop->parse_cancel_request(incoming(cancel)) == 5u);
}

// Interop fact 51 of docs/interop.md.
TEST_CASE("a padding context in front of a 1.0 request is an ordinary context") {
  const Octets octets = Wire()
                            .frame({1, 0}, 0, 37)
                            .ulong(1)           // one context
                            .ulong(0x54414f00)  // TAO's
                            .ulong(0)           // without data
                            .ulong(5)           // request id
                            .octet(1)
                            .zeros(3)
                            .ulong(0)  // object key
                            .ulong(2)
                            .text("f")
                            .zeros(3)
                            .ulong(0)  // principal
                            .octet(8);
  messaging::ContextStorage contexts;
  const messaging::IncomingMessage message = incoming(octets);
  auto parsed = giop->parse_request(message, contexts);
  REQUIRE(parsed);
  CHECK(parsed->header.contexts[0].id == 0x54414f00);
  CHECK(parsed->body.read<std::uint8_t>() == 8);
}

}  // namespace
}  // namespace perigee::giop::test
