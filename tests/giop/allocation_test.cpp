// The memory cost of hostile and ordinary messages, counted by a replaced operator new. A size
// field alone allocates nothing, and the steady state allocates nothing.
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

/// Feeds `octets` to the reader; no message may become complete.
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

/// The allocations of a reader for the first `count` octets of a message that begins with `header`.
Allocations cost_of(OctetSpan header, std::size_t count) {
  const auto reader = make_reader(*giop);
  Octets scratch(4096);
  Octets octets(count);
  std::copy(header.begin(), header.end(), octets.begin());
  return allocations_of([&] { feed(*reader, scratch, octets); });
}

// The sum includes the storage that was outgrown. Storage grows by a factor of four, and is at most
// four times the size of the octets that have arrived.
TEST_CASE("a size field alone allocates nothing; memory is bounded by the octets that arrived") {
  const Octets header = Wire().frame({1, 2}, 0, (64u << 20) - 12);
  for (const std::size_t count : {12u, 100u, 4095u}) CHECK(cost_of(header, count).count == 0);
  for (const std::size_t count : {5000u, 262'143u, 262'145u, 1'500'000u, 5'000'000u})
    CHECK(cost_of(header, count).octets <= std::max<std::size_t>(256 * 1024, 16 * count / 3));
}

// For whole messages, and for the beginning of a large message that continues in its own storage.
TEST_CASE("detached octets take no memory after all their messages are taken") {
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
    CHECK(cost.count == cost.freed + (last_size == 100 ? 0 : 1));  // the large message's storage
  }
}

TEST_CASE("the storage of a large message is never larger than the message") {
  const Octets small = Wire().frame({1, 2}, 0, 200'000 - 12);
  CHECK(cost_of(small, 199'999).octets == 200'000);
  const Octets large = Wire().frame({1, 2}, 0, 300'000 - 12);
  CHECK(cost_of(large, 299'999).octets == 256 * 1024 + 300'000);
}

TEST_CASE("the first pieces of many fragmented messages take no more memory than their size") {
  const auto reader = make_reader(*giop);
  Octets scratch(4096);
  Octets pieces;
  for (std::uint32_t id = 0; id < 64; ++id) {
    const Octets piece = Wire().frame({1, 2}, 0, 4 + 8, 2).ulong(id).zeros(8);
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  const Allocations cost = allocations_of([&] { feed(*reader, scratch, pieces); });
  const std::size_t list_size_max = 2 * 64 * 128;  // the list of messages, including its growth
  CHECK(cost.octets <= pieces.size() + list_size_max);
}

TEST_CASE("small messages and their headers allocate nothing in the steady state") {
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
