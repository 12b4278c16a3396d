// The reader with unfragmented messages: whole, truncated anywhere, many at once, large, and
// invalid.
#include "giop/wire.h"
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

#include <algorithm>

namespace perigee::giop::test {
namespace {

using messaging::FramingError;
using messaging::IncomingMessage;
using messaging::MessageKind;
using perigee::test::Next;

/// A request of 1.2 with `size` octets in all (at least 12). Its header is not meant to be parsed.
Octets message_of(std::size_t size, std::endian order = std::endian::little) {
  const Octets body = pattern(size - 12);
  return Wire(order).frame({1, 2}, 0, static_cast<std::uint32_t>(body.size())).octets(body).get();
}

Octets joined(std::initializer_list<Octets> parts) {
  Wire wire;
  for (const Octets& part : parts) wire.octets(part);
  return wire.get();
}

Octets front(const Octets& octets, std::size_t count) {
  const OctetSpan span = OctetSpan(octets).first(count);
  return {span.begin(), span.end()};
}

void put(perigee::test::MessageReader& reader, MutableOctetSpan scratch, OctetSpan octets) {
  const MutableOctetSpan space = reader.receive_space(scratch);
  REQUIRE(space.size() >= octets.size());
  std::copy(octets.begin(), octets.end(), space.begin());
  reader.received(octets.size());
}

TEST_CASE("a whole small message is a view into the scratch space") {
  const auto reader = make_reader(*giop);
  Octets scratch(1024);
  put(*reader, scratch, message_of(100));
  IncomingMessage message;
  REQUIRE(reader->next(message) == Next::message);
  CHECK(message.octets.data() == scratch.data());
  CHECK(message.octets.size() == 100);
  CHECK(message.storage == nullptr);
  CHECK_FALSE(reader->has_octets());
  CHECK(reader->next(message) == Next::need_more);
}

TEST_CASE("a kept message survives the reuse of the scratch space") {
  const auto reader = make_reader(*giop);
  Octets scratch(1024);
  const Octets octets = message_of(100);
  put(*reader, scratch, octets);
  IncomingMessage message;
  REQUIRE(reader->next(message) == Next::message);
  message.keep();
  std::ranges::fill(scratch, std::byte{0});
  CHECK(hex(message.octets) == hex(octets));
}

TEST_CASE("several messages of one read come in order, in any version and byte order") {
  Wire wire;
  for (const messaging::Version version : all_versions)
    for (const std::endian order : both_orders)
      for (unsigned type = 0; type < 7; ++type)
        wire.octets(Wire(order).frame(version, type, type).octets(pattern(type)));
  const ReadResult result = read_all(*giop, wire.get(), ~std::size_t{0}, 4096);
  CHECK_FALSE(result.failed);
  CHECK_FALSE(result.has_octets);
  REQUIRE(result.messages.size() == 42);
  for (std::size_t index = 0; index < 42; ++index) {
    CHECK(result.messages[index].kind == static_cast<MessageKind>(index % 7));
    CHECK(result.messages[index].order == both_orders[index / 7 % 2]);
    CHECK(result.messages[index].version == all_versions[index / 14]);
  }
}

TEST_CASE("messages split at any octet give the same result as whole messages") {
  const Octets octets = joined({message_of(12), message_of(61, std::endian::big), message_of(1500),
                                message_of(16), message_of(5000), message_of(30)});
  const ReadResult whole = read_all(*giop, octets, ~std::size_t{0}, 16384);
  REQUIRE(whole.messages.size() == 6);
  for (std::size_t cut = 0; cut <= octets.size(); ++cut) {
    Feeder feeder(*giop);
    feeder.feed(OctetSpan(octets).first(cut));
    feeder.feed(OctetSpan(octets).subspan(cut));
    REQUIRE(feeder.result() == whole);
  }
  for (std::size_t piece = 1; piece < 40; ++piece) REQUIRE(read_all(*giop, octets, piece) == whole);
}

TEST_CASE("the rest of a message beyond the scratch space is read straight into its storage") {
  const auto reader = make_reader(*giop);
  Octets scratch(1024);
  const Octets octets = message_of(100'000);
  put(*reader, scratch, OctetSpan(octets).first(1024));
  IncomingMessage message;
  REQUIRE(reader->next(message) == Next::need_more);
  CHECK(reader->has_octets());
  const MutableOctetSpan space = reader->receive_space(scratch);
  REQUIRE(space.size() == octets.size() - 1024);  // the end of this message, not more
  std::copy(octets.begin() + 1024, octets.end(), space.begin());
  reader->received(space.size());
  REQUIRE(reader->next(message) == Next::message);
  CHECK(message.storage != nullptr);
  CHECK(message.octets.data() + 1024 == space.data());
  CHECK(hex(message.octets) == hex(octets));
  CHECK_FALSE(reader->has_octets());
  CHECK(reader->receive_space(scratch).data() == scratch.data());
}

TEST_CASE("octets of the next message move to the front of the scratch space") {
  const auto reader = make_reader(*giop);
  Octets scratch(1024);
  const Octets second = message_of(600);
  put(*reader, scratch, joined({message_of(500), front(second, 20)}));
  IncomingMessage message;
  REQUIRE(reader->next(message) == Next::message);
  REQUIRE(reader->next(message) == Next::need_more);
  CHECK(reader->has_octets());
  put(*reader, scratch, OctetSpan(second).subspan(20));
  REQUIRE(reader->next(message) == Next::message);
  CHECK(message.octets.data() == scratch.data());
  CHECK(hex(message.octets) == hex(second));
}

TEST_CASE("the rest of a message that has mostly arrived is read in place, if it fits") {
  const auto reader = make_reader(*giop);
  Octets scratch(16 * 1024);
  const Octets second = message_of(9000);
  put(*reader, scratch, joined({message_of(1000), front(second, 5000)}));
  IncomingMessage message;
  REQUIRE(reader->next(message) == Next::message);
  REQUIRE(reader->next(message) == Next::need_more);
  put(*reader, scratch, OctetSpan(second).subspan(5000));
  REQUIRE(reader->next(message) == Next::message);
  CHECK(message.octets.data() == scratch.data() + 1000);
  CHECK(hex(message.octets) == hex(second));
}

TEST_CASE("messages of all sizes arrive whole, whatever the size of the pieces") {
  Octets stream;
  std::vector<Octets> sent;
  for (std::size_t size = 12; size < 40'000; size += size / 2 + 1) {
    sent.push_back(message_of(size));
    stream = joined({stream, sent.back()});
  }
  for (const std::size_t at_a_time : {100u, 3000u, 4097u, 5000u, 8192u, 16'000u}) {
    const auto reader = make_reader(*giop);
    Octets scratch(16 * 1024);
    std::size_t received = 0;
    std::size_t arrived = 0;
    while (received < stream.size()) {
      const MutableOctetSpan space = reader->receive_space(scratch);
      const std::size_t count = std::min({space.size(), at_a_time, stream.size() - received});
      std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(received), count, space.begin());
      reader->received(count);
      received += count;
      for (IncomingMessage message; reader->next(message) == Next::message; ++arrived)
        CHECK(hex(message.octets) == hex(sent[arrived]));
    }
    CHECK(arrived == sent.size());
  }
}

TEST_CASE("detached octets survive the reuse of the scratch space, and more octets may follow") {
  const Octets first = message_of(40);
  const Octets second = message_of(700);
  for (const std::size_t cut : {1u, 11u, 12u, 300u, 700u}) {
    const auto reader = make_reader(*giop);
    Octets scratch(1024);
    put(*reader, scratch, joined({first, front(second, cut)}));
    IncomingMessage message;
    REQUIRE(reader->next(message) == Next::message);
    reader->detach();
    std::ranges::fill(scratch, std::byte{0xee});
    CHECK(reader->has_octets());
    Octets other(2048);
    if (cut < second.size()) put(*reader, other, OctetSpan(second).subspan(cut));
    REQUIRE(reader->next(message) == Next::message);
    CHECK(hex(message.octets) == hex(second));
    CHECK_FALSE(reader->has_octets());
  }
}

// The thread that took the message may be in an upcall while another thread reads.
TEST_CASE("a message from detached octets has its own storage") {
  const auto reader = make_reader(*giop);
  Octets scratch(1024);
  const Octets second = message_of(50);
  put(*reader, scratch, joined({message_of(40), second, message_of(60)}));
  IncomingMessage taken;
  REQUIRE(reader->next(taken) == Next::message);
  reader->detach();
  REQUIRE(reader->next(taken) == Next::message);
  CHECK(taken.storage != nullptr);
  reader->detach();
  Octets other(1024);
  put(*reader, other, message_of(70));
  IncomingMessage next;
  REQUIRE(reader->next(next) == Next::message);
  CHECK(next.octets.size() == 60);
  CHECK(hex(taken.octets) == hex(second));
}

TEST_CASE("messages that were not taken are kept, even if the next scratch space is too small") {
  const auto reader = make_reader(*giop);
  Octets scratch(8192);
  const Octets octets = message_of(800);
  for (int round = 0; round < 3; ++round) put(*reader, scratch, joined({octets, octets}));
  reader->detach();
  Octets small(1024);
  put(*reader, small, octets);
  IncomingMessage message;
  for (int count = 0; count < 7; ++count) {
    REQUIRE(reader->next(message) == Next::message);
    CHECK(hex(message.octets) == hex(octets));
  }
  CHECK(reader->next(message) == Next::need_more);
  CHECK_FALSE(reader->has_octets());
  CHECK(reader->receive_space(small).data() == small.data());
}

TEST_CASE("the octets of a large frame that arrives in small parts stay in place") {
  const auto reader = make_reader(*giop);
  const Octets large = message_of(100'000);
  const Octets following = message_of(40);
  Octets scratch(128 * 1024);
  IncomingMessage message;
  std::size_t sent = 20'000;
  put(*reader, scratch, front(large, sent));
  CHECK(reader->next(message) == Next::need_more);
  reader->detach();
  const std::byte* const place = reader->receive_space(scratch).data();
  CHECK(place != scratch.data() + sent);
  for (; sent < large.size(); sent += 1000) {
    CHECK(reader->receive_space(scratch).data() == place + (sent - 20'000));
    put(*reader, scratch,
        OctetSpan(large).subspan(sent, std::min(large.size() - sent, std::size_t{1000})));
    if (sent + 1000 < large.size()) CHECK(reader->next(message) == Next::need_more);
    reader->detach();
  }
  REQUIRE(reader->next(message) == Next::message);
  CHECK(std::ranges::equal(message.octets, large));
  put(*reader, scratch, following);
  REQUIRE(reader->next(message) == Next::message);
  CHECK(hex(message.octets) == hex(following));
}

TEST_CASE("a small part of a large frame takes no more memory than its size when it is detached") {
  const auto reader = make_reader(*giop);
  Octets scratch(128 * 1024);
  IncomingMessage message;
  put(*reader, scratch, front(message_of(100'000), 5000));
  CHECK(reader->next(message) == Next::need_more);
  reader->detach();
  CHECK(reader->inbox().unfinished().memory == 5000);
}

TEST_CASE("detaching without octets copies nothing") {
  const auto reader = make_reader(*giop);
  Octets scratch(1024);
  put(*reader, scratch, message_of(40));
  IncomingMessage message;
  REQUIRE(reader->next(message) == Next::message);
  reader->detach();
  CHECK_FALSE(reader->has_octets());
  CHECK(reader->receive_space(scratch).data() == scratch.data());
}

TEST_CASE("a message that fills the scratch space exactly stays there") {
  const ReadResult result = read_all(*giop, message_of(1024), 1000);
  CHECK(result.messages.size() == 1);
}

struct BadFrame {
  const char* why;
  Octets octets;
  FramingError error;
};

TEST_CASE("an invalid message is recognised by its first twelve octets") {
  const BadFrame rows[] = {
      {"another protocol", octets_from("GET / HTTP/1.1\r\n\r\n"), FramingError::bad_magic},
      {"compressed GIOP", Wire().text("ZIOP").ulong(0x00010201).ulong(0), FramingError::bad_magic},
      {"major 2", Wire().frame({2, 0}, 0, 0), FramingError::unsupported_version},
      {"major 0", Wire().frame({0, 2}, 0, 0), FramingError::unsupported_version},
      {"minor 3", Wire().frame({1, 3}, 0, 0), FramingError::unsupported_version},
      {"minor 255", Wire().frame({1, 255}, 0, 0), FramingError::unsupported_version},
      {"type 8", Wire().frame({1, 2}, 8, 0), FramingError::bad_type},
      {"type 255", Wire().frame({1, 1}, 255, 0), FramingError::bad_type},
      {"Fragment in 1.0", Wire().frame({1, 0}, 7, 0), FramingError::bad_type},
      {"2^32-1 octets", Wire().frame({1, 2}, 0, 0xffffffff), FramingError::too_large},
      {"more than 64 MiB", Wire().frame({1, 2}, 0, (64u << 20) - 11), FramingError::too_large},
  };
  for (const BadFrame& row : rows) {
    CAPTURE(row.why);
    for (const std::size_t piece : {1u, 100u}) {
      const ReadResult result = read_all(*giop, row.octets, piece);
      CHECK(result.failed);
      CHECK(result.error == row.error);
      CHECK(result.messages.empty());
      CHECK_FALSE(messaging::to_string(result.error).empty());
    }
  }
}

TEST_CASE("messages before an invalid message are delivered, and none after it") {
  const auto reader = make_reader(*giop);
  Octets scratch(1024);
  put(*reader, scratch, joined({message_of(40), octets_from("no message!!"), message_of(40)}));
  IncomingMessage message;
  CHECK(reader->next(message) == Next::message);
  CHECK(reader->next(message) == Next::error);
  CHECK(reader->next(message) == Next::error);
  CHECK(reader->error() == FramingError::bad_magic);
  put(*reader, scratch, message_of(40));
  CHECK(reader->next(message) == Next::error);
}

TEST_CASE("a message as large as the limit is read; a message with one octet more is refused") {
  const auto small = open_giop({.message_size_max = 2000});
  CHECK(read_all(*small, message_of(2000)).messages.size() == 1);
  CHECK(read_all(*small, message_of(2001)).error == FramingError::too_large);
}

TEST_CASE("bit 1 of the byte order octet of a 1.0 message is ignored") {
  const Octets octets = Wire().frame({1, 0}, 0, 4, 2).zeros(4);
  CHECK(read_all(*giop, octets).messages.size() == 1);
  // The bit stays set when the message is read into its own storage.
  const Octets large = Wire().frame({1, 0}, 0, 4000, 2).zeros(4000);
  const ReadResult result = read_all(*giop, large);
  REQUIRE(result.messages.size() == 1);
  CHECK(result.messages[0].octets == hex(large));
}

}  // namespace
}  // namespace perigee::giop::test
