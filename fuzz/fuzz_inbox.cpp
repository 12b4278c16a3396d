// Compares the inbox and a session of GIOP with the former reader of GIOP: the same octets must
// give the same messages and the same error, even if numbers are received into vectors. Also tests
// an inbox of datagrams with any octets.
#include "engine/connection/inbox.h"
#include "giop_reader.h"
#include "messages.h"
#include <perigee/giop/giop.h>

namespace perigee::fuzz {
namespace {

/// Gives all octets to the former reader at once, as far as there is room.
Outcome read_as_before(OctetSpan octets) {
  Reader reader(small_limits);
  Octets scratch(32 * 1024);
  Outcome outcome;
  messaging::IncomingMessage message;
  while (!octets.empty() && !outcome.failed) {
    const MutableOctetSpan space = reader.receive_space(scratch);
    const std::size_t count = std::min(octets.size(), space.size());
    std::copy_n(octets.begin(), count, space.begin());
    reader.received(count);
    octets = octets.subspan(count);
    Reader::Next next;
    while ((next = reader.next(message)) == Reader::Next::message) outcome.add(message);
    outcome.failed = next == Reader::Next::error;
    if (outcome.failed) outcome.error = reader.error();
  }
  return outcome;
}

/// Fills a cache with vectors of octets and doubles, and announces sequences at nearly all
/// positions.
void expect_sequences(engine::SequenceCache& cache) {
  constexpr std::size_t octets_type = 0;
  constexpr std::size_t doubles_type = 9;
  for (const std::size_t size : {512u, 2048u, 8192u}) {
    cache.give_back(std::vector<std::uint8_t>(size));
    cache.give_back(std::vector<double>(size / sizeof(double)));
  }
  for (std::size_t place = 0; place < 64; place += 4)
    cache.note_place({place + 12, place % 12 == 0 ? doubles_type : octets_type});
}

Outcome read_into_vectors(const messaging::MessagingProtocol& protocol, OctetSpan octets,
                          OctetSpan sizes) {
  static constexpr std::size_t land_above = 16;
  engine::SequenceCache cache(steady_clock(), nullptr, {}, land_above);
  expect_sequences(cache);
  return read(protocol, octets, sizes, 1024, &cache);
}

/// Gives the octets to an inbox of datagrams, as one datagram. The inbox never fails.
void read_as_datagram(const messaging::MessagingProtocol& protocol, OctetSpan octets) {
  const auto session = protocol.open(messaging::Role::acceptor, {});
  engine::Inbox inbox(*session, messaging::Role::acceptor);
  Octets scratch(engine::Inbox::scratch_size_min + octets.size());
  const engine::ReceiveSpace space = inbox.receive_space(scratch);
  require(space.first.size() >= octets.size() && space.rest.empty());
  std::ranges::copy(octets, space.first.begin());
  inbox.received(octets.size());
  messaging::IncomingMessage message;
  const engine::InboxStatus status = inbox.next(message);
  require(status != engine::InboxStatus::error);
  require((status == engine::InboxStatus::message) != (inbox.dropped() != 0 || octets.empty()));
  require(!inbox.has_octets());
  if (status == engine::InboxStatus::message) require(message.octets.size() <= octets.size());
}

}  // namespace
}  // namespace perigee::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perigee::fuzz;
  static const auto protocol = perigee::giop::make_giop(small_limits);
  if (size < sizes_count) return 0;
  const perigee::OctetSpan input = std::as_bytes(std::span(data, size));
  const perigee::OctetSpan octets = input.subspan(sizes_count);
  const Outcome in_pieces = read(*protocol, octets, input.first(sizes_count), 1024);
  require(in_pieces == read_as_before(octets));
  require(in_pieces == read_into_vectors(*protocol, octets, input.first(sizes_count)));
  read_as_datagram(*protocol, octets);
  return 0;
}
