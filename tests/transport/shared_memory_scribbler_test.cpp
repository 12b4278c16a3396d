// A peer that writes to the shared memory while this side works. fuzz/fuzz_shared_memory writes
// between the calls of this side.
#include "base/sanitizer.h"
#include "conformance/transport_pair.h"
#include "support/hostile_rings.h"
#include "support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <random>

namespace perigee::transport {
namespace {

using namespace std::chrono_literals;
using test::RawRings;
using test::RingServer;
using test::Scribbler;
using test::TemporaryFolder;

/// One call at the end whose peer writes random values. False: the connection has ended.
bool act(Transport& end, std::mt19937& dice) {
  Octets octets(1 + dice() % 100'000);
  const OctetSpan segment(octets);
  const Wait wait = dice() % 4 == 0 ? Wait::yes : Wait::no;
  IoResult result;
  if (dice() % 3 == 0) {
    result = end.receive(octets, wait);
  } else if (dice() % 2 == 0) {
    result = end.send({&segment, 1}, wait);
  } else if (const MutableOctetSpan place = end.begin_direct(octets.size()); !place.empty()) {
    std::ranges::fill(place, std::byte{7});
    result = end.commit(octets.size());
  }
  CHECK(result.count <= octets.size());
  (void)end.buffered();
  (void)end.holds_input();
  return result.status != IoStatus::failed && result.status != IoStatus::end_of_stream;
}

TEST_CASE("a peer that writes to all words at any time neither crashes nor stops this side") {
  constexpr std::uint32_t rounds = under_sanitizer ? 100 : 400;
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  std::mt19937 dice(20);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const RawRings peer(server, folder.file("socket"));
    (void)peer.server_end->set_receive_timeout(1ms);
    (void)peer.server_end->set_send_timeout(1ms);
    const Scribbler scribbler(peer.rings, round);
    for (int call = 0; call < 100; ++call)
      if (!act(*peer.server_end, dice)) break;
  }
}

}  // namespace
}  // namespace perigee::transport
