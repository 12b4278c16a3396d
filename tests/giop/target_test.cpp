// The three forms of a 1.2 target address. Source: CORBA 3.0, 15.4.2.2; interop facts 14, 15 of
// docs/interop.md.
#include "giop/wire.h"
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

// clang-format off: each field or group of fields has one line, with its meaning beside it.
namespace perigee::giop::test {
namespace {

using messaging::AddressingMode;
using messaging::FramingError;
using messaging::LocateRequestHeader;

/// The encapsulated body of an IIOP profile. With these lengths it needs padding in only one place.
Octets iiop_body(std::endian order, const std::string& key) {
  return Wire(order)
      .octet(order == std::endian::little ? 1 : 0)         // byte order of the encapsulation
      .octet(1).octet(2).zeros(1)                          // IIOP 1.2, padding
      .ulong(5).text("host").octet(0)                      // host; ends at octet 13
      .zeros(1).ushort(2809)                               // padding, port; ends at octet 16
      .ulong(static_cast<std::uint32_t>(key.size())).text(key)
      .get();
}

/// A TaggedProfile, padded to a multiple of 4.
Octets profile(std::endian order, std::uint32_t tag, const Octets& body) {
  return Wire(order)
      .ulong(tag)
      .ulong(static_cast<std::uint32_t>(body.size()))
      .octets(body)
      .zeros((0 - body.size()) & 3)
      .get();
}

/// A 1.2 locate request, id 8, whose target is `mode` and then `target` from octet 20 on.
Octets locate_request(std::endian order, unsigned mode, const Octets& target) {
  return Wire(order)
      .frame({1, 2}, 3, static_cast<std::uint32_t>(8 + target.size()))
      .ulong(8)
      .ushort(mode).zeros(2)
      .octets(target)
      .get();
}

std::expected<LocateRequestHeader, FramingError> parse(const Octets& octets) {
  return giop->parse_locate_request(incoming(octets));
}

TEST_CASE("a target given as an IIOP profile yields the key in it, whatever its byte order") {
  for (const std::endian outer : both_orders)
    for (const std::endian inner : both_orders) {
      const Octets octets = locate_request(outer, 1, profile(outer, 0, iiop_body(inner, "k-17")));
      const auto header = parse(octets);
      REQUIRE(header);
      CHECK(header->request_id == 8);
      CHECK(header->addressing == AddressingMode::profile);
      CHECK(text_from(header->object_key) == "k-17");
    }
}

TEST_CASE("a target given as a reference yields the key of the selected profile") {
  for (const std::endian order : both_orders) {
    const Octets octets = locate_request(order, 2,
        Wire(order)
            .ulong(1)                               // selected profile
            .ulong(1).octet(0).zeros(3)             // type id ""
            .ulong(3)                               // three profiles
            .octets(profile(order, 1, pattern(5)))  // multiple components
            .octets(profile(order, 0, iiop_body(order, "second")))
            .octets(profile(order, 0, iiop_body(order, "third")))
            .get());
    const auto header = parse(octets);
    REQUIRE(header);
    CHECK(header->addressing == AddressingMode::reference);
    CHECK(text_from(header->object_key) == "second");
  }
}

TEST_CASE("the rest of a request is parsed after its profile or reference") {
  const auto order = std::endian::little;
  for (const unsigned mode : {1u, 2u}) {
    Wire target(order);
    if (mode == 2) target.ulong(0).ulong(1).octet(0).zeros(3).ulong(1);  // index, type id, count
    target.octets(profile(order, 0, iiop_body(order, "key4")));
    const Octets octets = Wire(order)
        .frame({1, 2}, 0, static_cast<std::uint32_t>(12 + target.get().size() + 8 + 4))
        .ulong(5).octet(3).zeros(3)           // request id, response flags
        .ushort(mode).zeros(2).octets(target)
        .ulong(3).text("op").octet(0).zeros(1)
        .ulong(0)                             // no contexts
        .get();
    messaging::ContextStorage contexts;
    const messaging::IncomingMessage message = incoming(octets);
    const auto parsed = giop->parse_request(message, contexts);
    REQUIRE(parsed);
    CHECK(text_from(parsed->header.object_key) == "key4");
    CHECK(parsed->header.operation == "op");
    CHECK(parsed->body.remaining() == 0);
  }
}

TEST_CASE("an unreadable profile gives no key, so that the caller asks for the key") {
  const auto order = std::endian::little;
  const Octets iiop_2 = [&] {
    Octets body = iiop_body(order, "key4");
    body[1] = std::byte{2};  // IIOP 2.x
    return body;
  }();
  Octets cut = iiop_body(order, "key4");
  cut.resize(18);
  for (const Octets& target : {profile(order, 7, iiop_body(order, "key4")),  // another protocol's
                               profile(order, 0, iiop_2), profile(order, 0, cut),
                               profile(order, 0, {})}) {
    const Octets octets = locate_request(order, 1, target);
    const auto header = parse(octets);
    REQUIRE(header);
    CHECK(header->addressing == AddressingMode::profile);
    CHECK(header->object_key.empty());
  }
}

TEST_CASE("invalid target addresses are bad headers") {
  const auto order = std::endian::little;
  const Octets good = profile(order, 0, iiop_body(order, "key4"));
  CHECK(parse(locate_request(order, 3, good)).error() == FramingError::bad_header);       // mode
  CHECK(parse(locate_request(order, 0xffff, good)).error() == FramingError::bad_header);  // mode -1
  const auto reference = [&](std::uint32_t selected, std::uint32_t count) {
    return locate_request(order, 2,
        Wire(order).ulong(selected).ulong(1).octet(0).zeros(3).ulong(count).octets(good).get());
  };
  CHECK(parse(reference(0, 1)));
  CHECK(parse(reference(1, 1)).error() == FramingError::bad_header);           // not there
  CHECK(parse(reference(0, 2)).error() == FramingError::bad_header);           // cut
  CHECK(parse(reference(0, 0xffffffff)).error() == FramingError::bad_header);  // hostile
  Octets cut = locate_request(order, 1, good);
  cut.resize(cut.size() - 4);
  CHECK(parse(cut).error() == FramingError::bad_header);
}

}  // namespace
}  // namespace perigee::giop::test
