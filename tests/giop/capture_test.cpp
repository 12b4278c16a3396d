// Messages of omniORB 4.2.5, recorded on a loopback interface between nameclt and omniNames.
// Perigee's decoder must read the same values. For the same call, Perigee's encoder must produce
// the same octets.
#include "giop/wire.h"
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

// clang-format off: octets are grouped by field.
namespace perigee::giop::test {
namespace {

using messaging::Body;
using messaging::MessageKind;
using messaging::ReplyStatus;
using messaging::ResponseFlags;

const std::string naming_id = "IDL:omg.org/CosNaming/NamingContext:1.0";

// _is_a("IDL:omg.org/CosNaming/NamingContext:1.0") on "NameService". The reserved octets of 1.1,
// and the padding of 1.0 and 1.2, are leftovers of earlier messages. A decoder must ignore them.
const Octets is_a_1_0 = from_hex(
    "47494f50 01 00 01 00 58000000"    // GIOP 1.0, little-endian, Request, size 88
    "00000000"                         // no service contexts
    "02000000 01 050000"               // request id 2, response expected, padding
    "0b000000 4e616d6553657276696365 00"            // object key "NameService", padding
    "06000000 5f69735f6100 0000"       // "_is_a", padding
    "00000000"                         // no principal
    "28000000 49444c3a6f6d672e6f72672f436f734e616d696e672f4e616d696e67436f6e746578743a312e3000");
const Octets is_a_1_1 = from_hex(
    "47494f50 01 01 01 00 58000000"    // GIOP 1.1
    "00000000"                         // no service contexts
    "02000000 01 000500"               // request id 2, response expected, reserved
    "0b000000 4e616d6553657276696365 00"
    "06000000 5f69735f6100 0000"
    "00000000"
    "28000000 49444c3a6f6d672e6f72672f436f734e616d696e672f4e616d696e67436f6e746578743a312e3000");
const Octets is_a_1_2 = from_hex(
    "47494f50 01 02 01 00 58000000"    // GIOP 1.2
    "02000000 03 000000"               // request id 2, with target, reserved
    "0000 0000"                        // KeyAddr, padding
    "0b000000 4e616d6553657276696365 00"
    "06000000 5f69735f6100 0000"
    "00000000"                         // no service contexts; octet 56 needs no padding
    "28000000 49444c3a6f6d672e6f72672f436f734e616d696e672f4e616d696e67436f6e746578743a312e3000");

TEST_CASE("requests of omniORB are decoded in all versions") {
  for (const Octets* octets : {&is_a_1_0, &is_a_1_1, &is_a_1_2}) {
    const ReadResult read = read_all(*giop, *octets);
    REQUIRE(read.messages.size() == 1);
    CHECK_FALSE(read.has_octets);
    messaging::ContextStorage contexts;
    const messaging::IncomingMessage message = incoming(*octets);
    auto parsed = giop->parse_request(message, contexts);
    REQUIRE(parsed);
    CHECK(parsed->header.request_id == 2);
    CHECK(parsed->header.response == ResponseFlags::with_target);
    CHECK(text_from(parsed->header.object_key) == "NameService");
    CHECK(parsed->header.operation == "_is_a");
    CHECK(parsed->header.contexts.empty());
    CHECK(parsed->body.read_string_view() == naming_id);
    CHECK(parsed->body.ok());
    CHECK(parsed->body.remaining() == 0);
  }
}

TEST_CASE("our encoder produces omniORB's octets for the same request") {
  const auto ours = [](messaging::Version version) {
    return encoded(std::endian::little, [&](cdr::Encoder& encoder) {
      const Octets key = octets_from("NameService");
      giop->begin_request(encoder, version,
                          {.request_id = 2, .object_key = key, .operation = "_is_a"},
                          Body::present);
      encoder.write_string(naming_id);
      giop->finish(encoder);
    });
  };
  const auto without_leftovers = [](Octets octets) {
    for (const std::size_t offset : {21u, 22u, 23u}) octets[offset] = std::byte{0};
    return octets;
  };
  CHECK(hex(ours({1, 0})) == hex(without_leftovers(is_a_1_0)));
  CHECK(hex(ours({1, 1})) == hex(without_leftovers(is_a_1_1)));
  CHECK(hex(ours({1, 2})) == hex(is_a_1_2));
}

TEST_CASE("replies of omniORB are decoded in all versions, and ours have the same octets") {
  struct Row {
    messaging::Version version;
    const char* octets;
  };
  for (const Row row : {Row{{1, 0}, "47494f50 01000101 0d000000 00000000 02000000 00000000 01"},
                        Row{{1, 1}, "47494f50 01010101 0d000000 00000000 02000000 00000000 01"},
                        Row{{1, 2}, "47494f50 01020101 0d000000 02000000 00000000 00000000 01"}}) {
    const Octets octets = from_hex(row.octets);
    messaging::ContextStorage contexts;
    const messaging::IncomingMessage message = incoming(octets);
    auto parsed = giop->parse_reply(message, contexts);
    REQUIRE(parsed);
    CHECK(parsed->header.request_id == 2);
    CHECK(parsed->header.status == ReplyStatus::no_exception);
    CHECK(parsed->body.read_boolean());
    CHECK(parsed->body.remaining() == 0);
    CHECK(hex(encoded(std::endian::little, [&](cdr::Encoder& encoder) {
            giop->begin_reply(encoder, row.version, {2, ReplyStatus::no_exception, {}},
                              Body::present);
            encoder.write_boolean(true);
            giop->finish(encoder);
          })) == hex(octets));
  }
}

TEST_CASE("a system exception of omniORB is a reply with status 2, its body at octet 24") {
  const Octets octets = from_hex(
      "47494f50 01020101 40000000"     // GIOP 1.2, little-endian, Reply, size 64
      "02000000 02000000 00000000"     // request id, SYSTEM_EXCEPTION, no contexts
      "27000000 49444c3a6f6d672e6f72672f434f5242412f4f424a4543545f4e4f545f45584953543a312e3000"
      "4e"                             // padding (a leftover)
      "01004d4f 01000000");            // minor 0x4f4d0001, COMPLETED_NO
  messaging::ContextStorage contexts;
  const messaging::IncomingMessage message = incoming(octets);
  auto parsed = giop->parse_reply(message, contexts);
  REQUIRE(parsed);
  CHECK(parsed->header.status == ReplyStatus::system_exception);
  CHECK(parsed->body.position() == 24);
  CHECK(parsed->body.read_string_view() == "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0");
  CHECK(parsed->body.read<std::uint32_t>() == 0x4f4d0001);
  CHECK(parsed->body.read<std::uint32_t>() == 1);
  CHECK(parsed->body.remaining() == 0);
}

// resolve("aaa…" of 20000 characters, no kind), then the client closes: 3 pieces and a bare header.
TEST_CASE("a request that omniORB sends in three fragments is reassembled") {
  const Octets first = from_hex(
      "47494f50 01020300 f41f0000"     // more fragments; 8192 octets together
      "04000000 03 000000 0000 0500"   // request id 4, with target, reserved, KeyAddr, padding
      "0b000000 4e616d6553657276696365 00"
      "08000000 7265736f6c766500"      // "resolve"
      "00000000"                       // no contexts; octet 56 needs no padding
      "01000000 214e0000");            // body: one name component, its id of 20001 octets
  const Octets second = from_hex("47494f50 01020307 f41f0000 04000000");  // Fragment, more, id 4
  const Octets third = from_hex("47494f50 01020107 7d0e0000 04000000");   // Fragment, last, id 4
  const Octets tail = from_hex("00 616161 01000000 00");  // NUL, padding (leftovers), empty kind
  const Octets close = from_hex("47494f50 01020105 00000000");
  const std::string letters(20000, 'a');
  const auto some_letters = [&](std::size_t count) { return octets_from(letters.substr(0, count)); };
  const std::size_t in_first = 8192 - first.size();
  const std::size_t in_second = 8192 - second.size();
  Wire wire;
  wire.octets(first).octets(some_letters(in_first));
  wire.octets(second).octets(some_letters(in_second));
  wire.octets(third).octets(some_letters(20000 - in_first - in_second)).octets(tail);
  REQUIRE(wire.get().size() == 8192 + 8192 + 3721);
  wire.octets(close);

  const auto reader = make_reader(*giop);
  Octets scratch(32 * 1024);
  const MutableOctetSpan space = reader->receive_space(scratch);
  std::copy(wire.get().begin(), wire.get().end(), space.begin());
  reader->received(wire.get().size());
  messaging::IncomingMessage message;
  REQUIRE(reader->next(message) == perigee::test::Next::message);
  messaging::ContextStorage contexts;
  auto parsed = giop->parse_request(message, contexts);
  REQUIRE(parsed);
  CHECK(parsed->header.request_id == 4);
  CHECK(parsed->header.operation == "resolve");
  CHECK(parsed->body.position() == 56);
  CHECK(parsed->body.read<std::uint32_t>() == 1);
  CHECK(parsed->body.read_string_view() == letters);
  CHECK(parsed->body.read_string_view() == "");
  CHECK(parsed->body.remaining() == 0);
  REQUIRE(reader->next(message) == perigee::test::Next::message);
  CHECK(message.kind == MessageKind::close_connection);
  CHECK_FALSE(reader->has_octets());
}

}  // namespace
}  // namespace perigee::giop::test
