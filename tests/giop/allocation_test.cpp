// What hostile and ordinary messages cost in memory, counted by a replaced operator new: a size
// field alone buys nothing, and the steady state allocates nothing.
#include "giop/wire.h"
#include "support/allocations.h"
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace perigee::giop::test {
namespace {

using messaging::Body;
using messaging::IncomingMessage;
using messaging::ReplyStatus;
using perigee::test::Allocations;
using perigee::test::allocations_of;
using perigee::test::Next;

const auto giop = open_giop();

/// Puts `octets` into the reader, whose messages must not become complete.
void feed(perigee::test::MessageReader& reader, MutableOctetSpan scratch, OctetSpan octets) {
  IncomingMessage message;
  while (!octets.empty()) {
    const MutableOctetSpan space = reader.receive_space(scratch);
    const std::size_t piece = std::min(space.size(), octets.size());
    std::copy_n(octets.begin(), piece, space.begin());
    reader.received(piece);
    octets = octets.subspan(piece);
    CHECK(reader.next(message) == Next::need_more);
  }
}

/// What a reader allocates for the first `count` octets of a message that begins with `header`.
Allocations cost_of(OctetSpan header, std::size_t count) {
  const auto reader = make_reader(*giop);
  Octets scratch(4096);
  Octets octets(count);
  std::copy(header.begin(), header.end(), octets.begin());
  return allocations_of([&] { feed(*reader, scratch, octets); });
}

// Together with the storage that was outgrown: each was at most four times what had arrived, and
// they grow by a factor of four.
TEST_CASE("a size field alone allocates nothing; octets buy at most some times their number") {
  const Octets header = Wire().frame({1, 2}, 0, (64u << 20) - 12);
  for (const std::size_t count : {12u, 100u, 4095u}) CHECK(cost_of(header, count).count == 0);
  for (const std::size_t count : {5000u, 262'143u, 262'145u, 1'500'000u, 5'000'000u})
    CHECK(cost_of(header, count).octets <= std::max<std::size_t>(256 * 1024, 16 * count / 3));
}

// Of whole messages, and of the beginning of a large one that goes on in storage of its own.
TEST_CASE("octets that were detached take no memory when all their messages are taken") {
  for (const std::uint32_t last_size : {100u, 10'000u}) {
    CAPTURE(last_size);
    const auto reader = make_reader(*giop);
    Octets scratch(4096);
    Octets all = Wire().frame({1, 2}, 0, 100);
    all.resize(112);
    const Octets last = Wire().frame({1, 2}, 0, last_size);
    all.insert(all.end(), last.begin(), last.end());
    all.resize(std::min<std::size_t>(all.size() + last_size, 2000));
    const Allocations cost = allocations_of([&] {
      IncomingMessage message;
      std::ranges::copy(all, reader->receive_space(scratch).begin());
      reader->received(all.size());
      CHECK(reader->next(message) == Next::message);
      reader->detach();
      const bool whole = reader->next(message) == Next::message;
      CHECK(whole == (last_size == 100));
      if (!whole) (void)reader->receive_space(scratch);
    });
    CHECK(cost.count == cost.freed + (last_size == 100 ? 0 : 1));  // the large one's storage
  }
}

TEST_CASE("the storage of a large message is never larger than the message") {
  const Octets small = Wire().frame({1, 2}, 0, 200'000 - 12);
  CHECK(cost_of(small, 199'999).octets == 200'000);
  const Octets large = Wire().frame({1, 2}, 0, 300'000 - 12);
  CHECK(cost_of(large, 299'999).octets == 256 * 1024 + 300'000);
}

TEST_CASE("the first pieces of many fragmented messages cost what they are") {
  const auto reader = make_reader(*giop);
  Octets scratch(4096);
  Octets pieces;
  for (std::uint32_t id = 0; id < 64; ++id) {
    const Octets piece = Wire().frame({1, 2}, 0, 4 + 8, 2).ulong(id).zeros(8);
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  const Allocations cost = allocations_of([&] { feed(*reader, scratch, pieces); });
  const std::size_t list_size_max =
      2 * 64 * 128;  // of what is known of each, all its growth included
  CHECK(cost.octets <= pieces.size() + list_size_max);
}

TEST_CASE("small messages and their headers cost no allocation in the steady state") {
  const auto reader = make_reader(*giop);
  Octets scratch(4096);
  cdr::Buffer buffer;
  messaging::ContextStorage contexts;
  std::vector<OctetSpan> segments;
  Octets fragment_headers;
  const Octets key = octets_from("key");
  const Octets data = octets_from("data");
  const std::vector<iop::ServiceContext> sent = {{1, data}, {2, data}};
  const auto round_trip = [&](messaging::Version version) {
    buffer.clear();
    segments.clear();
    cdr::Encoder encoder(buffer);
    giop->begin_request(encoder, version,
                        {.object_key = key, .operation = "ping", .contexts = sent}, Body::present);
    encoder.write(7);
    giop->finish(encoder);
    giop->gather(buffer, segments, fragment_headers);
    const MutableOctetSpan space = reader->receive_space(scratch);
    std::ranges::copy(segments.at(0), space.begin());
    reader->received(segments[0].size());
    IncomingMessage message;
    return reader->next(message) == Next::message && giop->parse_request(message, contexts) &&
           contexts.size() == 2;
  };
  for (const messaging::Version version : all_versions) {
    REQUIRE(round_trip(version));
    bool ok = true;
    const Allocations cost = allocations_of([&] {
      for (int round = 0; round < 10; ++round) ok = round_trip(version) && ok;
    });
    CHECK(cost.count == 0);
    CHECK(ok);
  }
}

}  // namespace
}  // namespace perigee::giop::test
