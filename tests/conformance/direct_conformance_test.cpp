// The transport suite on transports that encode in place, and encoding in place.
#include "conformance/transport_pair.h"
#include "support/memory_transport.h"
#include "support/seam_transports.h"

#include <cerrno>

namespace perigee::test {
namespace {

struct Harness {
  std::shared_ptr<MemoryConnection> connection;

  TransportPair connect(std::size_t capacity = 64 * 1024) {
    auto pair = make_memory_pair({.capacity = capacity});
    connection = pair.connection;
    return {add_direct_encoding(std::move(pair.first)),
            add_direct_encoding(std::move(pair.second))};
  }
  void reset_by_client(TransportPair&) { connection->reset(ECONNRESET); }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/transport_suite.h"

namespace perigee::test {

TEST_CASE("octets that are made in place arrive in order with octets that are sent") {
  Harness harness;
  const auto pair = harness.connect();
  REQUIRE(pair.client->features().encodes_in_place);
  const Octets first = pattern(100, 1);
  const Octets second = pattern(200, 2);
  CHECK(send_all(*pair.client, first).ok());
  const MutableOctetSpan place = pair.client->begin_direct(second.size());
  REQUIRE(place.size() >= second.size());
  std::ranges::copy(second, place.begin());
  CHECK(pair.client->commit(second.size(), Wait::yes).ok());
  CHECK((receive_exactly(*pair.server, 100) == first));
  CHECK((receive_exactly(*pair.server, 200) == second));
}

TEST_CASE("memory for more octets than there is room is refused, and memory may be given back") {
  Harness harness;
  const auto pair = harness.connect();
  CHECK(pair.client->begin_direct(1 << 20).empty());
  CHECK_FALSE(pair.client->begin_direct(10).empty());
  CHECK(pair.client->commit(0, Wait::no).ok());
  CHECK(send_all(*pair.client, pattern(5, 1)).ok());
  CHECK((receive_exactly(*pair.server, 5) == pattern(5, 1)));
}

TEST_CASE("a commit that the transport cannot take whole goes on later") {
  Harness harness;
  const auto pair = harness.connect(100);
  const Octets octets = pattern(250, 3);
  std::ranges::copy(octets, pair.client->begin_direct(octets.size()).begin());
  Octets received;
  while (received.size() < octets.size()) {
    const IoResult result = pair.client->commit(octets.size(), Wait::no);
    CHECK((result.ok() || result.status == IoStatus::would_block));
    const Octets part =
        receive_exactly(*pair.server, std::min<std::size_t>(100, 250 - received.size()));
    received.insert(received.end(), part.begin(), part.end());
  }
  CHECK((received == octets));
}

}  // namespace perigee::test
