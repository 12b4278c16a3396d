// Runs the transport suite on open transports that have a handshake, and tests the handshake
// itself.
#include "conformance/transport_pair.h"
#include "support/handshake_transport.h"
#include "support/memory_transport.h"

#include <cerrno>

namespace perigee::test {
namespace {

TransportPair wrap(MemoryPair& pair) {
  return {add_handshake(std::move(pair.first), messaging::Role::opener),
          add_handshake(std::move(pair.second), messaging::Role::acceptor)};
}

/// Opens both ends by turns, without waiting; returns how often one of them would have waited.
unsigned open_by_turns(const TransportPair& pair) {
  unsigned refusals = 0;
  for (;;) {
    const IoResult client = pair.client->open(Wait::no);
    const IoResult server = pair.server->open(Wait::no);
    if (client.ok() && server.ok()) return refusals;
    for (const IoResult& result : {client, server})
      if (!result.ok() && result.status != IoStatus::would_block) return ~0u;
    refusals += (client.ok() ? 0 : 1) + (server.ok() ? 0 : 1);
  }
}

struct Harness {
  std::shared_ptr<MemoryConnection> connection;

  TransportPair connect() {
    auto memory = make_memory_pair();
    connection = memory.connection;
    TransportPair pair = wrap(memory);
    (void)open_by_turns(pair);
    return pair;
  }
  void reset_by_client(TransportPair&) { connection->reset(ECONNRESET); }
};

}  // namespace
}  // namespace perigee::test

#include "conformance/transport_suite.h"

namespace perigee::test {

TEST_CASE("an open with Wait::no has to be repeated, and wants() says what it waits for") {
  auto memory = make_memory_pair();
  const TransportPair pair = wrap(memory);
  CHECK(pair.client->features().opens);
  CHECK(pair.server->open(Wait::no).status == IoStatus::would_block);
  CHECK(pair.server->wants(transport::Step::open) == transport::Wants::to_read);
  const unsigned refusals = open_by_turns(pair);
  CHECK(refusals >= handshake_round_trips);
  CHECK(refusals < 100);
}

TEST_CASE("an open that waits returns as soon as the peer also opens") {
  auto memory = make_memory_pair();
  const TransportPair pair = wrap(memory);
  std::jthread client([&] { CHECK(pair.client->open(Wait::yes).ok()); });
  CHECK(pair.server->open(Wait::yes).ok());
}

TEST_CASE("an open ends when the peer closes the connection") {
  auto memory = make_memory_pair();
  TransportPair pair = wrap(memory);
  CHECK(pair.client->open(Wait::no).status == IoStatus::would_block);
  pair.server.reset();
  CHECK(pair.client->open(Wait::yes).status == IoStatus::end_of_stream);
}

TEST_CASE(
    "has_output reports an octet that the transport itself has to send, and a receive sends it") {
  auto memory = make_memory_pair({.capacity = 1});
  const TransportPair pair = wrap(memory);
  (void)open_by_turns(pair);
  std::byte octet{1};
  const OctetSpan one(&octet, 1);
  // The octet that the client itself has to send (its ticket) takes all room, so its first message
  // waits.
  CHECK(pair.client->send({&one, 1}, Wait::no).status == IoStatus::would_block);
  CHECK_FALSE(pair.client->has_output());
  std::byte got{};
  CHECK(pair.server->has_output());
  CHECK(pair.server->receive({&got, 1}, Wait::no).status == IoStatus::would_block);
  CHECK_FALSE(pair.server->has_output());  // the receive has written the octet of the server
  CHECK(pair.client->send({}, Wait::no).ok());
  CHECK(pair.client->send({&one, 1}, Wait::no).ok());
  CHECK(pair.server->receive({&got, 1}, Wait::no).ok());
  CHECK(got == octet);
}

}  // namespace perigee::test
