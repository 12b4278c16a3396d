// The transport suite on a ring buffer, and encoding messages in its memory.
#include "conformance/transport_pair.h"
#include "support/memory_transport.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace perigee::test {
namespace {

struct Harness {
  std::shared_ptr<MemoryConnection> connection;

  TransportPair connect(std::size_t capacity = 64 * 1024) {
    const PipeFaults ring{.capacity = capacity, .encodes_in_place = true};
    auto pair = make_memory_pair(ring, ring);
    connection = pair.connection;
    return {std::move(pair.first), std::move(pair.second)};
  }
  void reset_by_client(TransportPair&) { connection->reset(ECONNRESET); }
};

IoResult send_in_place(transport::Transport& transport, const Octets& octets) {
  const MutableOctetSpan place = transport.begin_direct(octets.size());
  REQUIRE(place.size() >= octets.size());
  std::ranges::copy(octets, place.begin());
  return transport.commit(octets.size());
}

}  // namespace
}  // namespace perigee::test

#include "conformance/transport_suite.h"

namespace perigee::test {

TEST_CASE("octets that are written in place arrive in order with octets that are sent") {
  Harness harness;
  const auto pair = harness.connect();
  REQUIRE(pair.client->features().encodes_in_place);
  const Octets first = pattern(100, 1);
  const Octets second = pattern(200, 2);
  const Octets third = pattern(300, 3);
  CHECK(send_all(*pair.client, first).ok());
  CHECK(send_in_place(*pair.client, second).count == second.size());
  CHECK(send_all(*pair.client, third).ok());
  CHECK((receive_exactly(*pair.server, 100) == first));
  CHECK((receive_exactly(*pair.server, 200) == second));
  CHECK((receive_exactly(*pair.server, 300) == third));
}

TEST_CASE("a ring refuses memory for more octets than fit, and takes unused memory back") {
  Harness harness;
  const auto pair = harness.connect();
  CHECK(pair.client->begin_direct(1 << 20).empty());
  CHECK_FALSE(pair.client->begin_direct(10).empty());
  CHECK(pair.client->commit(0).ok());
  CHECK(send_all(*pair.client, pattern(5, 1)).ok());
  CHECK((receive_exactly(*pair.server, 5) == pattern(5, 1)));
}

TEST_CASE("a full ring lends no memory until the peer has received") {
  Harness harness;
  const auto pair = harness.connect(100);
  CHECK(send_in_place(*pair.client, pattern(70, 1)).ok());
  CHECK(pair.client->begin_direct(31).empty());
  CHECK((receive_exactly(*pair.server, 70) == pattern(70, 1)));
  CHECK(send_in_place(*pair.client, pattern(100, 2)).ok());
  CHECK((receive_exactly(*pair.server, 100) == pattern(100, 2)));
}

TEST_CASE("memory of a ring is one piece, also across its end") {
  Harness harness;
  const auto pair = harness.connect(4096);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));  // at least one is mapped
  std::size_t written = 0;
  for (unsigned round = 0; written < 3 * std::max<std::size_t>(4096, page); ++round) {
    CAPTURE(round);
    const Octets octets = pattern(1000 + round, round);
    CHECK(send_in_place(*pair.client, octets).ok());
    CHECK((receive_exactly(*pair.server, octets.size()) == octets));
    written += octets.size();
  }
}

TEST_CASE("a commit fails when the peer has closed the connection") {
  Harness harness;
  auto pair = harness.connect();
  const MutableOctetSpan place = pair.client->begin_direct(100);
  REQUIRE(place.size() >= 100);
  pair.server.reset();
  std::ranges::copy(pattern(100, 1), place.begin());  // the memory is still valid
  const IoResult result = pair.client->commit(100);
  CHECK(result.status == IoStatus::failed);
  CHECK(result.count == 0);
}

}  // namespace perigee::test
